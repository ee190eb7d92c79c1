"""Compressed archives that are the same bytes for the same files."""

import gzip
import io
import tarfile


def tar_gz(entries, date):
    """An archive of entries (path, mode, contents), each of them made at a date in seconds."""
    out = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, out, mtime=0) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for path, mode, contents in entries:
                entry = tarfile.TarInfo(str(path))
                entry.size, entry.mode, entry.mtime = len(contents), mode, date
                tar.addfile(entry, io.BytesIO(contents))
    return out.getvalue()


def files(folder):
    """Every file below a folder, in order, by its path in it."""
    return sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
