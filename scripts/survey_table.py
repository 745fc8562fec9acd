"""The instruction table of a survey, as `cyclops table --json` prints it: forms, their values, and the shapes of their examples.

Unstable values are left out: the table marks them itself, with `?`.
"""
import collections
import dataclasses
import functools
import json
import re

# AVX-512 names these otherwise than AVX. Both do the same with all elements of a vector.
RENAMED = {**{f"v{op}{size}": f"v{op}" for op in ("pand", "pandn", "por", "pxor") for size in "dq"},
           **{f"vmovdqa{bits}": "vmovdqa" for bits in (32, 64)},
           **{f"vmovdqu{bits}": "vmovdqu" for bits in (8, 16, 32, 64)},
           **{f"v{op}{t}{shape}": f"v{op}{t}128" for op in ("extract", "insert", "broadcast") for t in "fi"
              for shape in ("32x4", "64x2")}}
PREFIXES = ("{evex}", "{vex}", "lock", "rep", "repne", "data16", "notrack")
# Names of x86's general registers by their bits, as in %rax, %eax, %ax, %al and %ah.
GENERAL = ((64, r"r([abcd]x|[sd]i|[sb]p|\d+)"), (32, r"e([abcd]x|[sd]i|[sb]p)|r\d+d"), (16, r"[abcd]x|[sd]i|[sb]p|r\d+w"),
           (8, r"[abcd]l|(si|di|sp|bp)l|r\d+b"), ("high", r"[abcd]h"))
VECTORS = {"xmm": 128, "ymm": 256, "zmm": 512}


@dataclasses.dataclass(frozen=True)
class Shape:
    """What the text of an example shows. Kinds: r64 to r8, rhigh, xmm, ymm, zmm, k, mm, st, imm, mem, or the text itself."""
    mnemonic: str      # without its AVX-512 name, where AVX has another
    kinds: tuple       # of the operands, in the order of the text
    prefix: str        # "lock", "rep", or ""
    is_evex: bool      # {evex}, a name of AVX-512, a mask, a broadcast, rounding, or 512 bits
    mask: str          # "", "k", "kz"
    modifiers: tuple   # {1to4}, {rn-sae}, {sae}

    @property
    def width(self):
        """Bits of its widest vector, else of its widest general register; 0: neither."""
        vectors = [VECTORS[kind] for kind in self.kinds if kind in VECTORS]
        return max(vectors or [int(kind[1:]) for kind in self.kinds if re.fullmatch(r"r\d+", kind)] or [0])

    @property
    def has_memory(self):
        return "mem" in self.kinds


def kind_of(operand):
    if operand.startswith("$"):
        return "imm"
    if "(" in operand:
        return "st" if operand.startswith("%st") else "mem"
    found = re.fullmatch(r"%(xmm|ymm|zmm|k|mm|st)\d*", operand)
    if found:
        return found[1]
    for bits, names in GENERAL:
        if re.fullmatch("%(" + names + ")", operand):
            return f"r{bits}"
    return operand


def split_operands(text):
    """Parts between the commas that are not in an address."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text) if part.strip()]


@functools.lru_cache(maxsize=None)
def shape_of(example):
    """The shape of an x86 text; None: there is no text."""
    words = example.split()
    prefixes = []
    while words and words[0] in PREFIXES:
        prefixes.append(words.pop(0))
    if not words:
        return None
    braces = re.findall(r"\{[^}]*\}", " ".join(words[1:]))
    rest = re.sub(r"\{[^}]*\}", "", " ".join(words[1:]))
    mask = "kz" if "{z}" in braces else "k" if any(brace.startswith("{%k") for brace in braces) else ""
    modifiers = tuple(sorted(brace for brace in braces if not brace.startswith("{%k") and brace != "{z}"))
    kinds = tuple(kind_of(operand) for operand in split_operands(rest))
    is_evex = "{evex}" in prefixes or words[0] in RENAMED or bool(mask or modifiers) or "zmm" in kinds
    plain = " ".join(word for word in prefixes if not word.startswith("{"))
    return Shape(RENAMED.get(words[0], words[0]), kinds, plain, is_evex, mask, modifiers)


@dataclasses.dataclass(frozen=True, eq=False)
class Value:
    """A stable value of the table."""
    form: str
    what: str      # "latency 1 -> 0", "throughput, unrolled, 16 streams", "slots"
    cycles: float  # of slots, slots
    low: float
    high: float
    row: dict      # the table's own object

    @property
    def is_bound(self):
        return self.row["relation"] == "at most"

    @property
    def is_whole(self):
        """Whether it is a whole number, as exactly as its chain is measured."""
        return abs(self.cycles - round(self.cycles)) <= 0.025 + 0.003 * (self.chain or self.cycles)

    @property
    def text(self):
        sign = "≤" if self.is_bound else ""
        return f"{sign}{self.cycles:.4g} [{self.low:.4g}, {self.high:.4g}]"

    @property
    def why(self):
        return self.row.get("why", "")

    @property
    def chain(self):
        """Cycles of a latency's whole chain for each copy of the form; None: the table does not have it."""
        if "chain" in self.row:
            return self.row["chain"]
        return self.row.get("sum") or (None if self.row.get("partner") else self.cycles)

    def again(self, folder):
        """The command that measures it again."""
        if "again" in self.row:
            return self.row["again"]
        return f"cyclops run --kernels {folder}/kernels {self.row['kernel']}" if "kernel" in self.row else None


def stable(form, what, row, unit="cycles"):
    if unit not in row or row["verdict"] == "unstable":
        return None
    return Value(form, what, row[unit], row["low"], row["high"], row)


class Form:
    def __init__(self, row):
        self.name, self.sched_class = row["form"], row.get("class")
        self.example = row.get("example", "")
        self.shape = shape_of(self.example)
        self.latencies = {}  # (source, destination, has slow values, is to others) → Value
        for latency in row["latencies"]:
            key = (latency["source"], latency["destination"], latency.get("slow_values", False),
                   latency.get("to_others", False))
            name = f"latency {key[0]} -> {key[1]}" + ", slow values" * key[2] + ", to others" * key[3]
            value = stable(self.name, name, latency)
            if value:
                self.latencies[key] = value
        self.throughputs = []  # all that are stable
        for throughput in row["throughputs"]:
            words = [throughput["code"], f"{throughput['streams']} streams"] + [
                name.replace("_", " ") for name in ("same_address", "breakers", "slow_values", "lanes_on_lines") if throughput[name]]
            if "fillers" in throughput:
                words.append(f"fillers behind each copy: {throughput['fillers']}")
            value = stable(self.name, "throughput, " + ", ".join(words), throughput)
            if value:
                self.throughputs.append(value)
        self.headline = next((value for value in self.throughputs if value.row["headline"]), None)
        self.slots = stable(self.name, "slots", row.get("slots", {}), "slots")

    def latency(self, source, destination):
        return self.latencies.get((source, destination, False, False))

    def plain_latencies(self):
        """Those of ordinary operands: (source, destination) → Value."""
        return {key[:2]: value for key, value in self.latencies.items()
                if not key[2] and not key[3] and key[0] != "same" and key[1] != "memory"}


class Table:
    def __init__(self, lines):
        rows = [json.loads(line) for line in lines]
        heads = [row for row in rows if row.get("record") == "table"]
        if len(heads) != 1:
            raise ValueError("it is not what 'cyclops table --json' prints: it has no line of the table, or several")
        self.head = heads[0]
        self.forms = {row["form"]: Form(row) for row in rows if row["record"] == "form" and "left_out" not in row}
        self.classes = collections.defaultdict(list)
        for form in self.forms.values():
            self.classes[form.sched_class].append(form)
        self.width = self.head.get("dispatch_width")
