"""Functions of tests/compiled as compilers make them, linked into a program that times them, and their hot loops.
Private to compiled-loops."""
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.join(ROOT, "tests", "compiled")
LEVELS = {"O1": ["-O1", "-fno-pie"], "O2": ["-O2"], "O3": ["-O3"], "native": ["-O3", "-march=native"]}
ARRAYS = {"A": 0x2324000, "B": 0x2335400, "C": 0x2346800, "D": 0x2357c00}


class BadInput(Exception):
    pass


class Call:
    """How a function is called: sums.c explains the lines."""
    def __init__(self, name, source, line):
        self.name, self.source = name, source
        arguments, _, counts = line.partition(";")
        self.arguments = arguments.split()
        self.counts = [int(word) for word in counts.replace("n =", "").split()] or [0]

    def words(self, n):
        def number(word):
            base, _, more = word.partition("+")
            offset = (int(more[:-1] or 1) * n if more.endswith("n") else int(more)) if more else 0
            if base in ARRAYS:
                return ARRAYS[base] + offset
            return int(base[:-1] or 1) * n if base.endswith("n") else int(base)
        return [number(word) for word in self.arguments]

    def usual(self):
        return self.words(self.counts[len(self.counts) // 2])


def read_calls():
    calls = []
    for name in sorted(os.listdir(SOURCES)):
        if not name.endswith(".c") or name == "native.c":
            continue
        text = open(os.path.join(SOURCES, name), encoding="utf-8").read()
        for line, function in re.findall(r"^// call: (.*)\n.*?(\w+)\(", text, re.MULTILINE):
            calls.append(Call(function, name[:-2], line))
    return calls


def run(*command, check=True):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise BadInput(f"{' '.join(command)}: {done.stderr.strip()}")
    return done


class Program:
    """A linked program that times its functions itself (native.c)."""
    def link(self, compiler, objects, *flags):
        native = self.path("native.o")
        if not os.path.exists(native):
            run(compiler, "-O2", "-c", os.path.join(SOURCES, "native.c"), "-o", native)
        run(compiler, *flags, "-o", self.program, native, *objects)
        self.symbols = symbols_of(self.program)

    def path(self, name):
        return os.path.join(self.folder, name)

    def native(self, command, function, *words):
        offset = self.symbols[function] - self.symbols["main"]
        done = run(self.program, command, f"{'-' if offset < 0 else ''}{abs(offset):x}", *map(str, words), check=False)
        return [line.split() for line in done.stdout.splitlines()] if done.returncode == 0 else []


class Variant(Program):
    """The functions as one compiler makes them at one level: assembly, objects, and a linked program."""
    def __init__(self, compiler, level, folder):
        self.compiler, self.name = compiler, f"{compiler}-{level}"
        self.flags, self.folder = LEVELS[level], os.path.join(folder, f"{compiler}-{level}")
        self.program = self.path("program")
        self.lines = {} # of assembly, by source: (offset in .text, text)
        os.makedirs(self.folder, exist_ok=True)
        self.sources = sorted({call.source for call in read_calls()})
        for source in self.sources:
            self.compile(source)
        self.pie = ["-no-pie"] if "-fno-pie" in self.flags else []
        self.link(compiler, [self.path(source + ".o") for source in self.sources], *self.pie)
        self.objects = {source: symbols_of(self.path(source + ".o")) for source in self.sources}
        self.code = disassemble(self.program)

    def compile(self, source):
        text = self.path(source + ".s")
        extra = ["-fno-addrsig"] if self.compiler == "clang" else []
        run(self.compiler, *self.flags, *extra, "-S", os.path.join(SOURCES, source + ".c"), "-o", text)
        listing = run("as", "-aln", "--listing-lhs-width=4", text, "-o", self.path(source + ".o")).stdout
        self.lines[source] = read_listing(listing)


class Blocks(Program):
    """The blocks of blocks.s, each in a file of its own, and a program that repeats them."""
    def __init__(self, folder):
        source = os.path.join(SOURCES, "blocks.s")
        text = open(source, encoding="utf-8").read()
        self.name, self.folder = "blocks", os.path.join(folder, "blocks")
        self.program = self.path("program")
        os.makedirs(self.folder, exist_ok=True)
        run("as", source, "-o", self.path("blocks.o"))
        self.link("gcc", [self.path("blocks.o")])
        has = open("/proc/cpuinfo", encoding="utf-8").read().split()
        self.calls = [Call(name, "blocks", line)
                      for line, feature, name in re.findall(
                          r"^# call: (.*)\n(?:# feature: (.*)\n)?\s+\.globl (\w+)", text, re.MULTILINE)
                      if not feature or feature in has]
        for name, body in re.findall(r"# LLVM-MCA-BEGIN (\w+)\n(.*?)# LLVM-MCA-END", text, re.DOTALL):
            with open(self.path(name + ".s"), "w", encoding="utf-8") as file:
                file.write(body)


def symbols_of(path):
    rows = (line.split() for line in run("nm", path).stdout.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


def read_listing(listing):
    """Offset in .text by line number, of the instructions of an assembler's listing."""
    offsets, is_text = {}, True
    for line in listing.splitlines():
        row = re.match(r" *(\d+) (?:([0-9a-f]{4,8}) ([0-9A-F ]+))?\s*\t(.*)", line)
        if not row:
            continue
        text = row[4].strip()
        if text.startswith((".text", ".section", ".data", ".bss")):
            is_text = text.startswith(".text")
        if is_text and row[2] and not text.startswith(".") and int(row[1]) not in offsets:
            offsets[int(row[1])] = int(row[2], 16)
    return offsets


def disassemble(program):
    """Instructions of each function: (address, text, target of a branch)."""
    functions, code = {}, None
    for line in run("objdump", "-d", "--no-show-raw-insn", program).stdout.splitlines():
        head = re.match(r"[0-9a-f]+ <(\w+)>:", line)
        row = re.match(r" +([0-9a-f]+):\t(.*)", line)
        if head:
            code = functions[head[1]] = []
        elif row and code is not None:
            text = row[2].strip()
            target = re.match(r"j\w+ +([0-9a-f]+) <", text)
            code.append((int(row[1], 16), text, int(target[1], 16) if target else None))
    return functions


def plain(code):
    """Instructions without what depends on where they are linked."""
    return "\n".join(re.sub(r"[0-9a-f]+ <(\w*)([^>]*)>|0x[0-9a-f]+(?=\(%rip\))", r"\2", text) for _, text, _ in code)


# ---- the hot loop

class Loop:
    """A run of instructions that ends with a branch to its first one: the last one that goes there."""
    def __init__(self, function, code, counts, share):
        self.function, self.code = function, code
        self.head, self.tail = code[0][0], code[-1][0]
        self.counts = counts # of iterations, by the function's n
        self.is_all = share >= 0.97 # of the instructions that a greater n adds: what it adds to the time is the loop's


def count_walk(variant, call, n):
    rows = variant.native("walk", call.name, *call.words(n))
    return {variant.symbols["main"] + int(offset, 16): int(count) for offset, count in rows}


def extend(known, counts):
    """Iterations for all counts, where those of the first two are known: they are on a line."""
    if len(known) < 2:
        return known
    return [known[0] + round((known[1] - known[0]) * (n - counts[0]) / (counts[1] - counts[0])) for n in counts]


def weight_of(walk, code):
    return sum(walk.get(address, 0) for address, _, _ in code)


def list_loops(code, steps):
    """Runs of instructions from the target of a branch to the last one that goes back there."""
    index, tails = {address: i for i, (address, _, _) in enumerate(code)}, {}
    for i, (address, _, target) in enumerate(code):
        first = index.get(target)
        if first is not None and first <= i and steps.get(target, 0) >= 2:
            tails[first] = i
    return [code[first:tail + 1] for first, tail in tails.items()]


def find_loop(variant, call):
    """The smallest loop in which the call spends nearly all of its instructions."""
    code = variant.code[call.name]
    walks = [count_walk(variant, call, n) for n in call.counts[:2]]
    loops = list_loops(code, walks[-1])
    if not loops:
        return None
    most = max(weight_of(walks[-1], body) for body in loops)
    body = min((body for body in loops if weight_of(walks[-1], body) >= 0.8 * most), key=len)
    if weight_of(walks[-1], body) < 0.4 * weight_of(walks[-1], code):
        return None
    added = [weight_of(walks[-1], some) - (weight_of(walks[0], some) if len(walks) > 1 else 0) for some in (body, code)]
    counts = extend([walk.get(body[0][0], 0) for walk in walks], call.counts)
    return Loop(call.name, body, counts, added[0] / max(added[1], 1))


def end_of(variant, loop):
    """Address behind the loop's last instruction."""
    code = variant.code[loop.function]
    place = [address for address, _, _ in code].index(loop.tail)
    return code[place + 1][0] if place + 1 < len(code) else loop.tail + 2


def lines_of(variant, call, loop):
    """Numbers of the loop's first and last line in the compiler's assembly."""
    start = variant.objects[call.source][call.name] - variant.symbols[call.name]
    of_offset = {offset: number for number, offset in variant.lines[call.source].items()}
    first, last = of_offset.get(loop.head + start), of_offset.get(loop.tail + start)
    if not first or not last:
        raise BadInput(f"{variant.path(call.source + '.s')}: no line of '{loop.code[0][1]}'")
    return first, last


def place_of(variant, call, loop, form):
    """Where a form has the loop, bytes from the start of a cache line. A marked text has it where its object has it."""
    is_linked = form.startswith("linked")
    move = 0 if is_linked else variant.objects[call.source][call.name] - variant.symbols[call.name]
    return (loop.head + move) % 64


class Moved(Program):
    """The linked program with a function moved, so that its loop is so far behind the start of a cache line, and some
    lines further on; and with so many instructions more where the function begins."""
    def __init__(self, variant, call, loop, distance, lines_on=0, lead=0):
        self.name, self.folder, self.program = variant.name, variant.folder, variant.path(call.name + ".moved")
        lines = open(variant.path(call.source + ".s"), encoding="utf-8").read().splitlines()
        lines.insert(lines_of(variant, call, loop)[0] - 1, ".globl moved_head\nmoved_head:")
        label = next(i for i, line in enumerate(lines) if line.startswith(call.name + ":"))
        begin = [lines[label], f".rept {lead}; nop; .endr"]
        for skip in [(distance - loop.head + variant.symbols[call.name] - lead) % 64, *range(64)]:
            text = lines[:label] + [f".p2align 6\n.skip {64 * lines_on + skip}, 0x90", *begin] + lines[label + 1:]
            with open(self.program + ".s", "w", encoding="utf-8") as file:
                file.write("\n".join(text) + "\n")
            run("as", self.program + ".s", "-o", self.program + ".o")
            if symbols_of(self.program + ".o")["moved_head"] % 64 == distance:
                break
        others = [variant.path(source + ".o") for source in variant.sources if source != call.source]
        self.link(variant.compiler, [self.program + ".o", *others], *variant.pie)


def write_region(variant, call, loop, path):
    """The compiler's assembly with markers around the loop: before its label or behind it, as people do."""
    source = variant.path(call.source + ".s")
    lines = open(source, encoding="utf-8").read().splitlines()
    first, last = lines_of(variant, call, loop)
    lines.insert(last, "# LLVM-MCA-END")
    place = first - 1
    while len(call.name) % 2 and (not lines[place - 1].strip() or lines[place - 1].lstrip()[0] in "#." and
                                  lines[place - 1].split("#")[0].rstrip().endswith(":")):
        place -= 1
    lines.insert(place, "# LLVM-MCA-BEGIN")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
