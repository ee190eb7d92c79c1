"""The licences of everything that gets into the program: collected, and missed where one is lacking.

Every package has its identifier in its manifest and its texts in its folder. A package without an identifier, or without a
text that can be had, stops the release.
"""

import json
import re
import subprocess
from pathlib import Path

NAMES = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicen[cs]e)", re.IGNORECASE)
RULE = "=" * 100


def text(root, triple, tools):
    """One text with all licences."""
    parts = []
    lacking = []
    first = {}

    def part(title, source, texts):
        shown = []
        for each in texts:
            owner = first.setdefault(" ".join(each.split()), title)
            shown.append(each.strip() if owner == title else f"Word for word as at {owner}, above.")
        parts.append(f"\n{RULE}\n{title}\n{source}\n{RULE}\n\n" + "\n\n".join(shown) + "\n")

    for package in packages(root, triple):
        name = f"{package['name']} {package['version']}"
        identifier = package["license"]
        texts = [file.read_text(errors="replace") for file in files(Path(package["manifest_path"]).parent)]
        if not texts and identifier == "MIT":
            texts = [mit(root, package["authors"])]
        if not texts or not (identifier or package["license_file"]):
            lacking.append(f"{name} ({identifier or 'no identifier'}, {len(texts)} texts)")
        source = package["repository"] or package["homepage"] or "its source is in the package registry"
        part(f"{name}: {identifier or 'as below'}", source, texts)
    if lacking:
        raise SystemExit(
            f"no licence for: {'; '.join(lacking)}. Ask its authors for a text, or use another package: what is handed "
            "out must carry the licence of everything in it"
        )
    apache = (root / "LICENSE-APACHE").read_text()
    part("The Rust standard library: MIT OR Apache-2.0", "rust-lang/rust, library/", [apache])
    zig = next(tools.glob("lib/python3*/site-packages/ziglang"))
    for name, file in [("Zig's runtime: MIT", "LICENSE"), ("LLVM's libunwind", "lib/libunwind/LICENSE.TXT")]:
        part(name, "linked in by the toolchain", [(zig / file).read_text()])
    head = (
        "The program `grader` contains the packages below, each under its own licence.\n"
        "NVIDIA's compiler (NVRTC) is not among them: it is fetched from NVIDIA's own packages, under its own licence.\n"
    )
    return head + "".join(parts)


def packages(root, triple):
    """What the program is made of, without our own packages and without what only builds or tests."""
    data = metadata(root, "--filter-platform", triple)
    by_id = {package["id"]: package for package in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    todo = [key for key, package in by_id.items() if package["name"] == "grader"]
    seen = set()
    while todo:
        key = todo.pop()
        if key in seen:
            continue
        seen.add(key)
        for needed in nodes[key]["deps"]:
            if any(kind["kind"] is None for kind in needed["dep_kinds"]):
                todo.append(needed["pkg"])
    found = [by_id[key] for key in seen if by_id[key]["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def files(folder):
    return sorted(file for file in folder.rglob("*") if NAMES.match(file.name) and file.is_file() and not is_code(file))


def is_code(file):
    return file.suffix in (".rs", ".c", ".h", ".py", ".toml", ".json")


def mit(root, authors):
    """MIT's text for a package that has none in its folder: what differs is who wrote it."""
    ours = (root / "LICENSE-MIT").read_text()
    return re.sub(r"(?m)^Copyright .*$", f"Copyright (c) {', '.join(authors) or 'its authors'}", ours, count=1)


def metadata(root, *options):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", *options]
    return json.loads(subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout)
