#!/usr/bin/env python3
"""Writes the kernels of this folder: each pattern of irregular codes by thread, warp and block, persistent or not, over one of two graphs.

A kernel is made of its pattern's few lines and the ways in which such codes go wrong. Labels follow from the way: an update
that is no atomic races at its line, a look before the atomic races with it, a bound wrong by one leaves the rows or the columns,
a barrier left out lets the two accesses race that it kept apart.
"""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def graph(vertices, edges, loops):
    """Rows and columns of an undirected graph."""
    near = [set() for _ in range(vertices)]
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    for a in loops:
        near[a].add(a)
    rows, columns = [0], []
    for of in near:
        columns += sorted(of)
        rows.append(len(columns))
    return vertices, rows, columns


def forty():
    """40 vertices, some without an edge (the first and the last, too), one with an edge to itself, one of many edges."""
    edges = {(5, w) for w in (2, 9, 14, 23, 30, 36)}
    for v in set(range(1, 39)) - {17}:
        for d in (1, 6, 11):
            w = (v * v + d * v + d) % 38 + 1
            if w not in (17, v) and (v + d) % 3:
                edges.add((min(v, w), max(v, w)))
    return graph(40, edges, [7])


def twelve():
    """12 vertices of the same kind."""
    edges = {(1, w) for w in range(2, 11)} | {(2, 3), (3, 4), (2, 4), (5, 6), (6, 7), (8, 9), (4, 9)}
    return graph(12, edges, [6])


# Of a type: its name in the header, the greatest datum, and whether maxima of it can be taken atomically.
TYPES = {
    "int": ("i32", 1000, True),
    "unsigned": ("u32", 1000, True),
    "unsigned long long": ("u64", 1000, True),
    "long long": ("i64", 1000, True),
    "float": ("f32", 1000, False),
    "double": ("f64", 1000, False),
    "signed char": ("i8", 120, None),
    "unsigned char": ("u8", 250, None),
    "short": ("i16", 1000, None),
    "unsigned short": ("u16", 1000, None),
}


class Kernel:
    def __init__(self, pattern, unit, persistent, kind, traversal):
        self.pattern, self.unit, self.persistent, self.kind, self.traversal = pattern, unit, persistent, kind, traversal
        self.name = "_".join([pattern, unit] + (["persistent"] if persistent else []) + [kind.replace(" ", "_"), traversal])
        self.defects = []
        self.lines = []
        self.notes = []

    def defect(self, label):
        self.defects.append(label)
        return len(self.defects)

    def put(self, text):
        """A line, or several, at the indentation of the first."""
        self.lines += text.split("\n")

    def choose(self, right, *wrongs):
        """Lines as they are right, and as they are wrong: (label, lines)."""
        for at, (label, lines) in enumerate(wrongs):
            self.put(f"#{'elif' if at else 'if'} DEFECT == {self.defect(label)}\n{lines}")
        self.put(f"#else\n{right}\n#endif")

    def only_right(self, label, lines):
        self.put(f"#if DEFECT != {self.defect(label)}\n{lines}\n#endif")

    def vertices(self):
        """Opens the loop over vertices, or the guard."""
        if self.unit == "thread":
            self.put("    int self = blockIdx.x * blockDim.x + threadIdx.x;")
            step = "gridDim.x * blockDim.x"
        elif self.unit == "warp":
            self.put("    int lane = threadIdx.x % 32, self = (blockIdx.x * blockDim.x + threadIdx.x) / 32;")
            step = "gridDim.x * blockDim.x / 32"
        else:
            self.put("    int self = blockIdx.x;")
            step = "gridDim.x"
        if self.persistent:
            head = lambda test: f"    for (int v = self; v {test} n; v += {step}) {{"
        else:
            self.put("    int v = self;")
            head = lambda test: f"    if (v {test} n) {{"
        self.choose(head("<"), ("out_of_bounds at rows", head("<=")))
        self.put("        int first = row[v], last = row[v + 1]; // <- rows")

    def edges(self):
        """Opens the loop over a vertex' edges."""
        if self.unit == "thread" and self.traversal == "reverse":
            heads = "int j = last - 1; j >= first; --j", "int j = last; j >= first; --j"
        else:
            start, step = {"thread": ("first", "++j"), "warp": ("first + lane", "j += 32"), "block": ("first + threadIdx.x", "j += blockDim.x")}[self.unit]
            heads = f"int j = {start}; j < last; {step}", f"int j = {start}; j <= last; {step}"
        right, wrong = (f"        for ({head}) {{" for head in heads)
        self.choose(right, ("out_of_bounds at column", wrong))
        self.put("            int w = col[j]; // <- column")
        if self.traversal == "until":
            self.put("            if (data[w] == data[v]) break;")

    def close(self, indent=8):
        self.put(" " * indent + "}")

    def update(self, at, value, indent):
        """Takes a value into a word that others take theirs into."""
        pad = " " * indent
        kind = self.kind
        maximum = TYPES[kind][2]
        if maximum is None:
            # Half a word, which only compare-and-swap changes atomically.
            right = f"""{pad}unsigned short seen = *(volatile unsigned short*)&{at};
{pad}while (seen < {value}) {{
{pad}    unsigned short before = atomicCAS(&{at}, seen, (unsigned short)({value})); // <- update
{pad}    if (before == seen) break;
{pad}    seen = before;
{pad}}}"""
            look = right.replace("*(volatile unsigned short*)&", "").replace(";\n", "; // <- look\n", 1)
            atomic = f"{pad}if ({at} < {value}) {at} = {value}; // <- plain"
        else:
            call = f"atomic{'Max' if maximum else 'Add'}(&{at}, {value}); // <- update"
            right = pad + call
            look = f"{pad}if ({at} < {value}) {{ // <- look\n{pad}    {call}\n{pad}}}"
            atomic = f"{pad}{at} = max({at}, {value}); // <- plain" if maximum else f"{pad}{at} += {value}; // <- plain"
        self.choose(
            right,
            ("race at plain", atomic),
            ("race at look and update", look),
            ("race at store", f"{pad}{at} = {value}; // <- store"),
        )

    def gather(self, value, combine, then, after=lambda: None):
        """Combines a value of each thread of the unit, and lets one of them go on; then all, before they go to another vertex."""
        kind = self.kind
        if self.unit == "thread":
            then(8)
        elif self.unit == "warp" and kind in ("int", "float", "unsigned", "double") and not self.persistent:
            self.put(f"        for (int d = 16; d > 0; d /= 2) {{\n            {kind} theirs = __shfl_xor_sync(0xffffffff, {value}, d);")
            self.put(f"            {combine(value, 'theirs')}\n        }}")
            self.put("        if (lane == 0) {")
            then(12)
            self.put("        }")
            after()
        else:
            sync = "__syncwarp" if self.unit == "warp" else "__syncthreads"
            who, base = ("lane == 0", "threadIdx.x + k") if self.unit == "warp" else ("threadIdx.x == 0", "k")
            count = "32" if self.unit == "warp" else "blockDim.x"
            self.put(f"        part[threadIdx.x] = {value}; // <- part")
            self.only_right("race at part and gather", f"        {sync}();")
            self.put(f"        if ({who}) {{\n            for (int k = 0; k < {count}; ++k) {{\n                {kind} theirs = part[{base}]; // <- gather")
            self.put(f"                {combine(value, 'theirs')}\n            }}")
            then(12)
            self.put("        }")
            behind = self.defect("race at part and gather") if self.persistent else 0
            after()
            if self.persistent:
                self.put(f"#if DEFECT != {behind}\n        {sync}();\n#endif")

    def needs_scratch(self):
        return self.unit == "block" or self.unit == "warp" and (self.persistent or self.kind not in ("int", "float", "unsigned", "double"))

    def begin(self, sentence, arguments, specifications):
        self.sentence, self.specifications = sentence, specifications
        self.put(f'extern "C" __global__ void {self.pattern}(const int* row, const int* col, int n, {arguments})\n{{')

    def finish(self):
        self.close(4)
        self.put("}")
        thread = self.unit == "thread"
        n, rows, columns = forty() if thread else twelve()
        launch = {
            "thread": ("--grid 2 --block 32", "--grid 2 --block 16"),
            "warp": ("--grid 7 --block 64", "--grid 2 --block 64"),
            "block": ("--grid 13 --block 64", "--grid 3 --block 64"),
        }[self.unit][self.persistent]
        values = lambda of: "values:" + ",".join(map(str, of))
        name, most, _ = TYPES[self.kind]
        data = [(v * 37 + 11) % most for v in range(n)]
        words = {"DATA": f"in:{name}:{n}={values(data)}", "ONE": f"inout:{name}:1=zeros", "ALL": f"inout:{name}:{n}={values(data)}",
                 "OUT": f"out:{name}:{n}", "N": f"out:i32:{n}", "COUNT": "inout:i32:1=zeros", "SEEN": f"inout:i32:{n}=zeros",
                 "SELF": f"inout:{name}:{n}=iota"}
        arguments = " ".join(f"--arg {words[word]}" for word in self.specifications.split())
        head = [f"// {self.sentence}",
                f"//@ run --entry {self.pattern} {launch} --arg in:i32:{n + 1}={values(rows)} --arg in:i32:{len(columns)}={values(columns)} --arg i32:{n} {arguments}",
                "//! clean"]
        head += [f"//! defect {at}: {label}" for at, label in enumerate(self.defects, 1)]
        (HERE / f"{self.name}.cu").write_text("\n".join(head + self.lines + [f"//! {note}" for note in self.notes]) + "\n")


def conditional_vertex(k):
    k.begin("The greatest (or the sum of the) values that beat their own vertex', in one word for all.",
            f"const {k.kind}* data, {k.kind}* best", "DATA ONE")
    if k.needs_scratch():
        k.put(f"    __shared__ {k.kind} part[64];")
    k.vertices()
    k.put(f"        {k.kind} most = 0;")
    k.edges()
    k.put("            most = max(most, data[w]);")
    k.close()

    def then(indent):
        k.put(" " * indent + "if (most > data[v]) {")
        k.update("best[0]", "most", indent + 4)
        k.put(" " * indent + "}")
    k.gather("most", lambda a, b: f"{a} = max({a}, {b});", then)
    k.finish()


def conditional_edge(k):
    k.begin("Counts the edges whose ends meet a condition, in one word for all.", f"const {k.kind}* data, {k.kind}* count", "DATA ONE")
    if k.unit == "block":
        k.put(f"    __shared__ {k.kind} sum;")
    k.vertices()
    if k.unit == "block":
        k.put("        if (threadIdx.x == 0) sum = 0; // <- clear")
        k.only_right("race at clear and add", "        __syncthreads();")
    k.edges()
    k.put("            if (v <= w && data[v] + data[w] > 0) {")
    target = "sum" if k.unit == "block" else "count[0]"
    add = f"atomicAdd(&{target}, ({k.kind})1); // <- add"
    k.choose(f"                {add}",
             ("race at loose", f"                {target} += 1; // <- loose"),
             ("race at look and add", f"                if ({target} < 1000) {{ // <- look\n                    {add}\n                }}"))
    k.put("            }")
    k.close()
    if k.unit == "block":
        k.only_right("race at add and total", "        __syncthreads();")
        k.put(f"        if (threadIdx.x == 0) {{\n            {k.kind} all = sum; // <- total")
        k.choose("            atomicAdd(count, all);", ("race at store", "            *count += all; // <- store"))
        k.put("        }")
    k.finish()


def pull(k):
    k.begin("Each vertex takes the greatest value of its neighbours.", f"const {k.kind}* data, {k.kind}* out", "DATA ALL")
    if k.needs_scratch():
        k.put(f"    __shared__ {k.kind} part[64];")
    k.vertices()
    k.put(f"        {k.kind} most = data[v];")
    k.edges()
    k.choose(f"            {k.kind} theirs = data[w];", ("race at look and put", f"            {k.kind} theirs = out[w]; // <- look"))
    k.put("            most = max(most, theirs);")
    k.close()
    def other():
        k.put(f"#if DEFECT == {k.defect('race at put and other')}\n        if (threadIdx.x % 32 == 7) out[v] = most + 1; // <- other\n#endif")
        if k.persistent:
            k.notes.append(f"label {len(k.defects)}: the other store stood behind the barrier at the end, which orders it; it stands before it now")
    k.gather("most", lambda a, b: f"{a} = max({a}, {b});", lambda indent: k.put(" " * indent + "out[v] = most; // <- put"), other)
    k.finish()


def push(k):
    k.begin("Each vertex gives its value to its neighbours.", f"const {k.kind}* data, {k.kind}* out", "DATA ALL")
    k.vertices()
    k.put(f"        {k.kind} mine = data[v] * 2;")
    k.edges()
    k.update("out[w]", "mine", 12)
    k.close()
    k.finish()


def worklist(k):
    k.begin("Each vertex with a greater neighbour goes to the worklist once.", f"const {k.kind}* data, int* list, int* size", "DATA N COUNT")
    if k.unit == "block":
        k.put("    __shared__ int greater, base;")
    k.vertices()
    if k.unit == "block":
        k.put("        if (threadIdx.x == 0) greater = 0; // <- clear")
        k.only_right("race at clear and raise", "        __syncthreads();")
    else:
        k.put("        bool some = false;")
    k.edges()
    if k.unit == "block":
        k.choose("            if (data[w] > data[v]) atomicAdd(&greater, 1); // <- raise",
                 ("race at loose", "            if (data[w] > data[v]) greater += 1; // <- loose"))
    else:
        k.put("            if (data[w] > data[v]) some = true;")
    k.close()
    if k.unit == "block":
        k.only_right("race at raise and decide", "        __syncthreads();")
        k.put("        if (threadIdx.x == 0) {\n            base = -1; // <- base\n            if (greater > 0) { // <- decide")
        k.choose("                base = atomicAdd(size, 1); // <- base", ("race at slot", "                base = (*size)++; // <- slot"))
        k.put("            }\n        }")
        k.only_right("race at base and use", "        __syncthreads();")
        k.put("        int at = base; // <- use")
        k.choose("        if (threadIdx.x == 33 && at >= 0) list[at] = v;",
                 ("race at all", "        if (at >= 0) list[at] = v + threadIdx.x; // <- all"))
    else:
        leader = "some"
        if k.unit == "warp":
            k.put("        unsigned votes = __ballot_sync(0xffffffff, some);")
            leader = "lane == 0 && votes != 0"
        k.put(f"        if ({leader}) {{")
        k.choose("            int at = atomicAdd(size, 1);",
                 ("race at slot", "            int at = (*size)++; // <- slot"),
                 ("race at peek and take", "            int at = *size; // <- peek\n            atomicAdd(size, 1); // <- take"))
        k.choose("            list[at] = v;", ("race at entry", "            list[at / 2] = v; // <- entry"))
        k.put("        }")
    k.finish()


def compression(k):
    kind = k.kind
    k.put(f"__device__ {kind} find({kind}* parent, {kind} at)\n{{")
    k.put("    while (true) {")
    k.choose(f"        {kind} up = atomicAdd(&parent[at], ({kind})0); // <- climb", ("race at climb2 and hook|short", f"        {kind} up = parent[at]; // <- climb2"))
    k.put("        if (up == at) return at;")
    k.put(f"        {kind} above = atomicAdd(&parent[up], ({kind})0);")
    k.choose(f"        if (above < up) atomicMin(&parent[at], above); // <- short",
             ("race at shorten", f"        if (above < up) parent[at] = above; // <- shorten"))
    k.put("        at = above;\n    }\n}")
    k.begin("Joins the ends of each edge, and shortens the paths to the roots on the way.", f"{kind}* parent", "SELF")
    k.vertices()
    k.edges()
    k.put(f"            {kind} a = find(parent, ({kind})v), b = find(parent, ({kind})w);")
    k.put(f"            while (a != b) {{\n                {kind} high = max(a, b), low = min(a, b);")
    k.choose(f"                {kind} was = atomicCAS(&parent[high], high, low); // <- hook",
             ("race at set", f"                {kind} was = parent[high]; // <- get\n                if (was == high) parent[high] = low; // <- set"))
    k.put(f"                if (was == high) break;\n                a = find(parent, high);\n                b = find(parent, low);\n            }}")
    k.close()
    k.finish()


# (pattern, unit, persistent, type, order of edges)
KERNELS = [
    (conditional_vertex, "thread", 0, "int", "forward"),
    (conditional_vertex, "thread", 1, "unsigned short", "reverse"),
    (conditional_vertex, "thread", 1, "float", "forward"),
    (conditional_vertex, "warp", 0, "int", "forward"),
    (conditional_vertex, "warp", 1, "unsigned long long", "forward"),
    (conditional_vertex, "block", 0, "double", "forward"),
    (conditional_vertex, "block", 1, "unsigned", "until"),
    (conditional_edge, "thread", 0, "int", "reverse"),
    (conditional_edge, "thread", 1, "double", "forward"),
    (conditional_edge, "warp", 0, "float", "forward"),
    (conditional_edge, "warp", 1, "unsigned", "until"),
    (conditional_edge, "block", 0, "int", "forward"),
    (conditional_edge, "block", 1, "unsigned long long", "forward"),
    (pull, "thread", 0, "signed char", "forward"),
    (pull, "thread", 1, "short", "reverse"),
    (pull, "thread", 0, "double", "until"),
    (pull, "warp", 0, "int", "forward"),
    (pull, "warp", 1, "unsigned char", "forward"),
    (pull, "block", 0, "short", "forward"),
    (pull, "block", 1, "float", "forward"),
    (push, "thread", 0, "unsigned short", "forward"),
    (push, "thread", 1, "int", "reverse"),
    (push, "thread", 0, "float", "until"),
    (push, "warp", 0, "unsigned", "forward"),
    (push, "warp", 1, "double", "forward"),
    (push, "block", 0, "unsigned long long", "forward"),
    (push, "block", 1, "int", "until"),
    (worklist, "thread", 0, "int", "forward"),
    (worklist, "thread", 1, "short", "reverse"),
    (worklist, "warp", 0, "unsigned char", "forward"),
    (worklist, "warp", 1, "float", "forward"),
    (worklist, "block", 0, "int", "forward"),
    (worklist, "block", 1, "double", "forward"),
    (compression, "thread", 0, "int", "forward"),
    (compression, "thread", 1, "unsigned long long", "reverse"),
    (compression, "warp", 0, "unsigned", "forward"),
    (compression, "warp", 1, "int", "forward"),
    (compression, "block", 0, "int", "forward"),
    (compression, "block", 1, "unsigned", "forward"),
]


def main():
    for pattern, *how in KERNELS:
        pattern(Kernel(pattern.__name__, *how))


if __name__ == "__main__":
    main()
