"""What a survey's table must agree on with itself: a rule a function, each with its reason.

A rule yields findings: values that contradict each other. Where a rule does not hold on every CPU, its kind is a question:
the values may be right, and somebody has to look. The rules know nothing of any CPU, and of x86 only its names.
"""
import collections
import dataclasses
import re

from survey_table import Value  # pylint: disable=unused-import

CYCLES, SHARE = 0.1, 0.02  # values that differ by less are equal, or within that of each other's interval
LEAST_CHAIN = 1.5  # a step takes a cycle at least, so a chain of one shows its latency whatever copies side by side take
MAJORITY, LEAST_FORMS = 0.8, 5  # of a group, whose others are outliers

# Both sources of these may change places.
COMMUTATIVE = re.compile(r"(add|and|or|xor|imul|test)[bwlq]?|v?p?(add|and|or|xor|mul|max|min|avg|cmpeq|madd)(?!sub)[a-z]*\d*|"
                         r"v(add|mul)(ps|pd|ss|sd|ph|sh)")
NO_COMMUTATION = re.compile(r"v?pmaddubsw|v?pmulti?shift.*|addr.*|addsub.*|vpmadd52.*|v?p?andn.*|v?(add|and|mul|max|min)s[sdh]")
# These load as fast as a plain load, whatever they take between registers: they move, extend or spread.
MOVES = re.compile(r"v?p?(mov|broadcast).*")
# These only read the memory that is their last operand.
ONLY_LOADS = re.compile(r"(cmp|test|bt)[bwlq]")
# An exchange gives each register the other's value, so neither register's new value waits for its own. One of 8 or 16 bits
# keeps the rest of the register.
NO_OWN_PAIR = re.compile(r"xchg[lq]")


@dataclasses.dataclass(frozen=True, eq=False)
class Finding:
    kind: str
    form: str
    what: str       # what is compared: "latency 1 -> 0"
    values: tuple   # of Value, the doubtful one first where it is known
    why: str        # why this is a contradiction
    forms: tuple = ()  # all forms of a finding about a group

    @property
    def id(self):
        return f"{self.kind}/{self.form}/{self.what}"

    @property
    def difference(self):
        """Relative difference of its values."""
        cycles = [value.cycles for value in self.values]
        least = min(cycles)
        return (max(cycles) - least) / least if least > 0 else float("inf")


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    is_question: bool  # it does not hold on every CPU
    title: str         # one clause
    reason: str        # why the values contradict each other, and what to do
    find: object       # Table → findings


KINDS = {}


def rule(name, title, is_question=False):
    def add(function):
        KINDS[name] = Kind(name, is_question, title, " ".join(function.__doc__.split()), function)
        return function
    return add


def apart(one, other):
    """How far two values lie apart, beyond their intervals."""
    return max(one.low - other.high, other.low - one.high)


def near(one, other):
    return abs(one.cycles - other.cycles) <= max(SHARE * min(one.cycles, other.cycles), 0.005)


def disagree(one, other, slack=CYCLES):
    """Why two values of what should be one number contradict each other, the doubtful one first; None: they do not.
    `slack`: of latencies CYCLES, of throughputs 0."""
    if one.is_bound and other.is_bound:
        return None
    if not one.is_bound and not other.is_bound:
        is_apart = apart(one, other) > 0 and abs(one.cycles - other.cycles) > slack and not near(one, other)
        return ("they differ", (one, other)) if is_apart else None
    bound, exact = (one, other) if one.is_bound else (other, one)
    is_below = bound.high + slack < exact.low and not near(bound, exact)
    return ("the bound lies below the other's value", (bound, exact)) if is_below else None


def compare(kind, one, other, why, sources=lambda source: source, wants_slots=True):
    """Findings of two forms that should have the same numbers. `sources`: the name in `other` of a source of `one`."""
    for (source, result, slow, others), value in one.latencies.items():
        twin = other.latencies.get((sources(source), result, slow, others))
        found = disagree(value, twin) if twin else None
        if found:
            yield Finding(kind, one.name, value.what, found[1], f"{why}; {found[0]}")
        elif (twin and twin.row.get("partner") == value.row.get("partner") and "sum" in twin.row and "sum" in value.row
              and abs(twin.row["sum"] - value.row["sum"]) > 0.3 and apart(value, twin) > 0):
            yield Finding(kind, one.name, value.what, (value, twin), f"{why}; the sums with one way back differ")
    both = [("throughput", one.headline, other.headline, 0)]
    if wants_slots:
        both.append(("slots", one.slots, other.slots, CYCLES))
    for what, value, twin, slack in both:
        found = disagree(value, twin, slack) if value and twin else None
        if found:
            yield Finding(kind, one.name, what, found[1], f"{why}; {found[0]}")


def grouped(forms, key):
    """Lists of two or more forms that have one key; key None: the form has no group."""
    groups = collections.defaultdict(list)
    for form in forms:
        name = key(form) if form.shape else None
        if name is not None:
            groups[name].append(form)
    return {name: group for name, group in groups.items() if len(group) > 1}


# ---- one operation, encoded twice

@rule("twins", "AVX's and AVX-512's encodings of one operation differ")
def find_twins(table):
    """{evex} vaddps and vaddps do the same in the same units: only their bytes differ. Where one of them has another latency,
    throughput or number of slots, one of the two values is wrong; a bound may lie above the other's value, not below."""
    def key(form):
        shape = form.shape
        return (shape.mnemonic, shape.kinds, shape.prefix) if not shape.mask and not shape.modifiers else None
    for group in grouped(table.forms.values(), key).values():
        for one in group:
            for other in group:
                if other.shape.is_evex and not one.shape.is_evex and one.shape.mnemonic.startswith("v"):
                    yield from compare("twins", one, other, "one operation in two encodings")


@rule("legacy", "SSE's and AVX's encodings of one operation differ", is_question=True)
def find_legacy(table):
    """addps %xmm1, %xmm0 and vaddps %xmm1, %xmm0, %xmm0 are one operation on most CPUs. Some need another uop for one of
    them, as for blends whose mask is implied."""
    vex = {(form.shape.mnemonic, form.shape.kinds): form for form in table.forms.values()
           if form.shape and form.shape.mnemonic.startswith("v") and not form.shape.is_evex}
    for form in table.forms.values():
        shape = form.shape
        if not shape or shape.mnemonic.startswith("v") or "xmm" not in shape.kinds:
            continue
        two = vex.get(("v" + shape.mnemonic, shape.kinds))
        three = vex.get(("v" + shape.mnemonic, shape.kinds + shape.kinds[-1:]))
        reads_result = any(key[0] == "0" for key in form.latencies)
        if two and not reads_result:
            yield from compare("legacy", form, two, "one operation in two encodings")
        elif three and (reads_result or not two):
            yield from compare("legacy", form, three, "one operation in two encodings",
                               lambda source: "1" if source == "0" else source)


@rule("immediates", "encodings of one operation with other immediates differ", is_question=True)
def find_immediates(table):
    """An add of a constant does the same whether the constant has 8 bits or 32. A decoder may stall at an immediate of 16
    bits, and some CPUs add small constants while they rename; apart from that, one of the values is wrong."""
    def key(form):
        return (form.shape.mnemonic, form.shape.kinds, form.shape.prefix, form.shape.mask, form.shape.modifiers) \
            if "imm" in form.shape.kinds else None
    for group in grouped(table.forms.values(), key).values():
        for i, one in enumerate(group):
            for other in group[i + 1:]:
                if one.shape.is_evex == other.shape.is_evex:
                    yield from compare("immediates", one, other, "one operation, with constants of other sizes", wants_slots=False)


@rule("masks", "a merging form and its zeroing twin differ", is_question=True)
def find_masks(table):
    """With {k1} {z}, a form writes zeros where the mask has them; with {k1} alone, it keeps what was there. From its sources to
    its result, both take the same time on most CPUs: the merge is one more thing to wait for, and hardly a slower way."""
    zeroing = {(form.shape.mnemonic, form.shape.kinds, form.shape.modifiers): form for form in table.forms.values()
               if form.shape and form.shape.mask == "kz"}
    for form in table.forms.values():
        twin = zeroing.get((form.shape.mnemonic, form.shape.kinds, form.shape.modifiers)) if form.shape and form.shape.mask == "k" else None
        for (source, result), value in form.plain_latencies().items() if twin else []:
            number, dot, part = source.partition(".")
            other = twin.latency(f"{int(number) - 1}{dot}{part}", result) if number.isdigit() and int(number) > 2 else None
            found = disagree(value, other) if other else None
            if found:
                yield Finding("masks", form.name, value.what, found[1], f"with zeroing and with merging; {found[0]}")


@rule("commutative", "sources that may change places have different latencies")
def find_commutative(table):
    """a + b is b + a, so both sources are read at one time. Where their latencies differ, the way back to one of them has
    another latency than where it was measured, or something else limits its chain. Some CPUs do read one source later:
    then all forms of the kind show it."""
    for form in table.forms.values():
        shape = form.shape
        if not shape or not COMMUTATIVE.fullmatch(shape.mnemonic) or NO_COMMUTATION.fullmatch(shape.mnemonic):
            continue
        registers = [kind for kind in shape.kinds if kind not in ("imm", "mem")]
        if len(registers) != len(shape.kinds) or len(set(registers)) != 1:
            continue
        for result in {key[1] for key in form.plain_latencies()}:
            sources = sorted(key[0] for key in form.plain_latencies() if key[1] == result and key[0].isdigit())
            if shape.mask == "k":  # its first sources are the earlier result and the mask
                sources = [source for source in sources if source not in ("0", "1")]
            values = [form.latency(source, result) for source in sources[-2:]]
            found = disagree(*values) if len(values) == 2 else None
            if found:
                yield Finding("commutative", form.name, " and ".join(value.what for value in values), found[1],
                              f"the sources may change places; {found[0]}")


# ---- one form's own values

@rule("chain", "an exact latency is what copies take side by side")
def find_chain(table):
    """A chain of dependent copies that takes as long as copies side by side may wait for pipes, microcode or memory
    instead of results. So its latency is a bound, until a longer chain confirms it. It is compared with all throughputs of
    the form, each placement's among them."""
    for form in table.forms.values():
        for (source, result, slow, _), value in form.latencies.items():
            if value.row.get("confirmed") or value.is_bound or value.chain is None or value.chain < LEAST_CHAIN or source in ("same", "memory") or value.cycles < 1.1:
                continue
            for other in form.throughputs:
                row = other.row
                is_waiting = "wait for" in other.why and not (row["same_address"] and source.endswith((".base", ".index")))
                if (row["streams"] < 2 or row["slow_values"] != slow or row["lanes_on_lines"] or "fillers" in row or is_waiting or
                        abs(other.cycles - value.chain) > 0.03 * value.chain or (other.is_bound and row["breakers"])):
                    continue
                yield Finding("chain", form.name, f"latency {source} -> {result}", (value, other),
                              f"its chain takes {value.chain:.4g} cycles, and so do copies side by side: they may limit it")
                break


@rule("slower", "copies side by side take longer than a chain of them")
def find_slower(table):
    """A chain executes one copy each time that it takes, so copies that need not wait for each other take no longer than
    that. The throughput is too long, or the chain is not closed."""
    for form in table.forms.values():
        other = form.headline
        if not other or other.is_bound:
            continue
        for (source, result, slow, _), value in form.latencies.items():
            is_special = source == "same" or "memory" in (source, result)
            if value.chain and not is_special and slow == other.row["slow_values"] and other.low > 1.03 * value.chain + 0.02:
                yield Finding("slower", form.name, f"throughput and latency {source} -> {result}", (other, value),
                              f"a chain of copies takes {value.chain:.4g} cycles a copy, and copies side by side take more")
                break


@rule("fraction", "an exact latency is no whole number of cycles, or less than one")
def find_fraction(table):
    """A result is ready at the end of a cycle. So a chain whose latency alone limits it takes a whole number of cycles,
    one at least, but for moves that renaming does. What does not is a mean over several ways, and a bound at best."""
    for form in table.forms.values():
        for value in form.latencies.values():
            is_special = value.row["source"] == "same"
            if value.is_bound or is_special or "~" in value.why or value.high - value.low > 0.25:
                continue
            if not value.is_whole:
                yield Finding("fraction", form.name, value.what, (value,), "it is no whole number of cycles")
            elif value.cycles < 0.9 and not re.match(r"v?mov|xchg", form.shape.mnemonic if form.shape else ""):
                yield Finding("fraction", form.name, value.what, (value,), "no result is ready in less than a cycle")


@rule("slots", "more dispatch slots than the throughput leaves room for, or less than one")
def find_slots(table):
    """A form with s slots takes s / width cycles at least, so an exact number of slots and an exact throughput below that
    contradict each other. An instruction takes one slot at least, but for those of which copies take less than a slot each."""
    for form in table.forms.values():
        slots, throughput = form.slots, form.headline
        if not slots or not table.width or not throughput:
            continue
        least = slots.cycles / table.width
        if not slots.is_bound and throughput.high < 0.97 * least:
            yield Finding("slots", form.name, "slots and throughput", (slots, throughput),
                          f"{slots.cycles:.4g} slots take {least:.4g} cycles at {table.width:.4g} slots a cycle")
        if slots.high < 0.8 and throughput.low > 0.9 / table.width:
            yield Finding("slots", form.name, "slots", (slots, throughput), "an instruction takes a slot at least")


@rule("pairs", "a latency of a pair that does not exist")
def find_pairs(table):
    """An exchange of two registers gives each the other's value: no result waits for its own register's earlier value. A
    store, under a mask too, reads nothing from memory. A latency of such a pair is a measurement of something else."""
    for form in table.forms.values():
        shape = form.shape
        if not shape:
            continue
        for (source, result), value in form.plain_latencies().items():
            if NO_OWN_PAIR.fullmatch(shape.mnemonic) and source == result and not shape.has_memory:
                yield Finding("pairs", form.name, value.what, (value,), "an exchange gives a register the other's value")
        value = form.latency("memory", "memory")
        is_store = re.match(r"v?(p?mov|maskmov|p?compress|p?scatter|extract|pextr)", shape.mnemonic) and shape.kinds[-1:] == ("mem",)
        if value and is_store:
            yield Finding("pairs", form.name, value.what, (value,), "a store reads nothing from memory")


@rule("slow", "a latency of slow values is less than that of round ones")
def find_slow(table):
    """Operands that are not round numbers take a division or root as long as round ones, or longer."""
    for form in table.forms.values():
        for (source, result, slow, others), value in form.latencies.items():
            usual = form.latencies.get((source, result, False, others)) if slow else None
            if usual and not usual.is_bound and value.high + CYCLES < usual.low:
                yield Finding("slow", form.name, value.what, (value, usual), "slow values take less than round ones")


@rule("others", "a latency through a partner, of a form that hands its result to its own kind earlier", is_question=True)
def find_others(table):
    """Where a class has a latency "to others" that is longer than to its own kind, a latency of slow values that closes
    through a partner is one to others as well, and not comparable with that of the form's own chain."""
    for name, forms in table.classes.items():
        has_others = any(key[3] and not key[2] for form in forms for key in form.latencies)
        for form in forms if name and has_others else []:
            for (source, result, slow, others), value in form.latencies.items():
                own = form.latencies.get((source, result, False, False))
                if slow and not others and value.row.get("partner") not in (None, "crossing") and own and not value.is_bound:
                    yield Finding("others", form.name, value.what, (value, own),
                                  f"it closes through {value.row['partner']}, and others wait longer for results of this class")


# ---- forms beside each other

def register_form(table, form):
    """The form that has a register where this one has its memory operand; None: there is none."""
    for pattern, replacement in ((r"rm", "rr"), (r"m(?=i?(b|k|kz|bk|bkz)?(_Int)?$)", "r"), (r"rm(?=\d)", "rr")):
        for found in reversed(list(re.finditer(pattern, form.name))):
            name = form.name[:found.start()] + replacement + form.name[found.end():]
            name = re.sub(r"b(k|kz)?$", r"\1", name) if "{1to" in form.example else name
            other = table.forms.get(name)
            if other and other.shape and form.shape and other.shape.mnemonic == form.shape.mnemonic:
                return other
    return None


def extra_to_others(table, form, result):
    """Cycles that other instructions wait longer for a result than copies of the form, as its class shows; 0: no longer."""
    for alike in table.classes[form.sched_class] if form.sched_class else [form]:
        for (source, to, slow, others), value in alike.latencies.items():
            own = alike.latencies.get((source, to, slow, False))
            if others and to == result and own:
                return value.cycles - own.cycles
    return 0


def memory_sources(form):
    """Latencies from an address: (operand's number, result) → Value."""
    return {(key[0].split(".")[0], key[1]): value for key, value in form.plain_latencies().items() if key[0].endswith(".base")}


def is_operation_on_memory(form):
    return form.shape and form.shape.has_memory and not MOVES.fullmatch(form.shape.mnemonic)


def load_latency(table):
    """The least exact latency of a plain load into a general register; None: not known."""
    values = [form.latency("1.base", "0") for form in table.forms.values()
              if form.shape and re.fullmatch(r"mov[lq]", form.shape.mnemonic) and form.shape.kinds in (("mem", "r64"), ("mem", "r32"))]
    return min((value for value in values if value and not value.is_bound), key=lambda value: value.cycles, default=None)


@rule("load", "a form with a load is faster than its operation and a load")
def find_load(table):
    """From the address to the result, a form loads, and then operates on what it has loaded. That is not less than the
    latency of a plain load, which is the least of all, plus that of the form with a register, beyond their intervals."""
    load = load_latency(table)
    for form in table.forms.values() if load else []:
        other = register_form(table, form) if is_operation_on_memory(form) else None
        for (number, result), value in memory_sources(form).items() if other else []:
            own = other.latency(number, result)
            if own and not own.is_bound and value.high + 0.5 < own.low + load.low:
                yield Finding("load", form.name, value.what, (value, own, load),
                              f"the load takes {load.cycles:.4g} cycles, and the operation {own.cycles:.4g}")


@rule("load-share", "the load's share of a form with a load is not what most others have", is_question=True)
def find_load_share(table):
    """The latency from the address, less that of the register form, is the load's. It is one number for all forms with one
    kind of result and the same way back, but for loads that extend or convert on the way. Values count as they are sure."""
    groups = collections.defaultdict(list)
    for form in table.forms.values():
        other = register_form(table, form) if is_operation_on_memory(form) else None
        for (number, result), value in memory_sources(form).items() if other else []:
            own = other.latency(number, result)
            total = value.row.get("sum", value.cycles) - (extra_to_others(table, other, result) if value.row.get("partner") else 0)
            if own and not own.is_bound and ("sum" in value.row or not value.is_bound):
                key = (form.shape.kinds[-1:], bool(ONLY_LOADS.fullmatch(form.shape.mnemonic)), result, value.row.get("partner"), "sum" in value.row)
                groups[key].append((round(2 * (total - own.cycles)) / 2, form, value, own))
    for members in groups.values():
        usual, n = collections.Counter(share for share, *_ in members).most_common(1)[0]
        for share, form, value, own in members if n >= LEAST_FORMS else []:
            unsure = (value.high - value.low + own.high - own.low) / 2
            if abs(share - usual) > 0.5 + unsure and n >= MAJORITY * len(members):
                yield Finding("load-share", form.name, value.what, (value, own),
                              f"its load seems to take {share:.4g} cycles with the way back, and those of {n} like it {usual:.4g}")


@rule("load-slots", "a form with a load takes fewer slots, or less time, than with a register", is_question=True)
def find_load_slots(table):
    """A load comes on top of the operation: a form with memory takes no fewer dispatch slots than the form with registers, and no
    less time. A CPU may lack a fast way for registers that it has for loads, as for broadcasts."""
    for form in table.forms.values():
        other = register_form(table, form) if form.shape and form.shape.has_memory and form.shape.kinds[-1:] != ("mem",) else None
        if not other or len({kind for kind in other.shape.kinds if kind != "imm"}) > 1:  # from one kind of registers to another
            continue
        for what, value, own in (("slots", form.slots, other.slots), ("throughput", form.headline, other.headline)):
            if value and own and not own.is_bound and value.high < own.low and value.cycles < (1 - SHARE) * own.cycles:
                yield Finding("load-slots", form.name, what, (value, own), "with a register it takes more")


@rule("width", "a wider form takes less than a narrower one", is_question=True)
def find_width(table):
    """One operation on more bits takes no fewer cycles, and no more often a cycle. 8 and 16 bits are not compared: they
    may have to keep the rest of a register. On some CPUs, a multiplication of 32 bits needs one uop more than one of 64."""
    def key(form):
        shape = form.shape
        is_vector = shape.width >= 128
        if not is_vector and shape.width not in (32, 64):
            return None
        mnemonic = shape.mnemonic if is_vector else re.sub(r"[lq]$", "", shape.mnemonic)
        kinds = tuple("v" if kind in ("xmm", "ymm", "zmm") else "r" if kind in ("r32", "r64") else kind for kind in shape.kinds)
        address = form.name.partition("-")[2]  # of lea, and which bytes are high ones
        return mnemonic, kinds, address, shape.prefix, shape.mask, re.sub(r"\d+", "", "".join(shape.modifiers)), shape.mnemonic[0] == "v", is_vector
    for group in grouped(table.forms.values(), key).values():
        for narrow in group:
            for wide in group:
                if narrow.shape.width >= wide.shape.width or (narrow.shape.is_evex != wide.shape.is_evex and wide.shape.width != 512):
                    continue
                yield from wider(narrow, wide)


def wider(narrow, wide):
    pairs = [(key, value, wide.latencies.get(key)) for key, value in narrow.latencies.items()]
    pairs.append((("throughput",), narrow.headline, wide.headline))
    for key, value, other in pairs:
        if value and other and not value.is_bound and other.high + (CYCLES if len(key) > 1 else 0) < value.low and not near(value, other):
            yield Finding("width", narrow.name, value.what if len(key) > 1 else "throughput", (value, other),
                          f"{narrow.shape.width} bits take longer than {wide.shape.width}")


# ---- scheduling classes

def class_groups(table):
    """Forms of one scheduling class and with operands of the same kinds: (class, kinds) → forms."""
    groups = collections.defaultdict(list)
    for form in table.forms.values():
        if form.sched_class and form.shape:
            shape = form.shape
            groups[form.sched_class, shape.kinds, shape.prefix, shape.mask, bool(shape.modifiers)].append(form)
    return {key: forms for key, forms in groups.items() if len(forms) >= LEAST_FORMS}


def quantities(form):
    yield from (("latency %s -> %s%s%s" % (key[0], key[1], ", slow values" * key[2], ", to others" * key[3]), value)
                for key, value in form.latencies.items() if key[0] != "same")
    if form.headline:
        yield "throughput", form.headline
    if form.slots:
        yield "slots", form.slots


@rule("class", "few forms of a scheduling class differ from most of it", is_question=True)
def find_class(table):
    """LLVM takes the forms of a class for alike. Where most of those with the same operands have one value, and a few
    another, either LLVM is wrong, or these few values are. Not compared is what copies with one source register take:
    that x - x is zero depends on the operation."""
    for (name, *_), forms in class_groups(table).items():
        by_what = collections.defaultdict(list)
        for form in forms:
            for what, value in quantities(form):
                by_what[what].append(value)
        for what, values in by_what.items():
            exact = sorted((value for value in values if not value.is_bound), key=lambda value: value.cycles)
            usual = exact[len(exact) // 2] if exact else None
            slack = 0 if what == "throughput" else CYCLES
            outliers = [value for value in values if usual and disagree(value, usual, slack)]
            n_alike = sum(near(value, usual) or abs(value.cycles - usual.cycles) <= slack for value in exact) if usual else 0
            if outliers and n_alike >= max(LEAST_FORMS, MAJORITY * len(values)):
                by_value = collections.defaultdict(list)
                for value in outliers:
                    by_value[round(value.cycles, 1), value.is_bound].append(value)
                for alike in by_value.values():
                    yield Finding("class", alike[0].form, what, (alike[0], usual), f"{n_alike} forms of {shorten(name)} have the other value",
                                  tuple(value.form for value in alike))


def shorten(name):
    return name if len(name) <= 40 else name[:37] + "..."


@rule("clusters", "the forms of a scheduling class have two throughputs close to each other", is_question=True)
def find_clusters(table):
    """Where some forms of a class take 0.50 cycles and others 0.565, the CPU has two speeds for all of them, and each was
    measured at one time. Then all of the class have two speeds. Where the intervals of all hold both, they say so."""
    for (name, *_), forms in class_groups(table).items():
        values = sorted((form.headline for form in forms if form.headline and not form.headline.is_bound), key=lambda value: value.cycles)
        gaps = [(values[i + 1].cycles / values[i].cycles, i + 1) for i in range(len(values) - 1) if values[i].cycles > 0]
        ratio, at = max(gaps, default=(1, 0))
        low, high = values[:at], values[at:]
        if not 1.03 < ratio < 1.3 or min(len(low), len(high)) < 2 or any(
                part[-1].cycles > 1.02 * part[0].cycles for part in (low, high)):
            continue
        if all(value.high >= high[0].cycles for value in low) and all(value.low <= low[-1].cycles for value in high):
            continue
        yield Finding("clusters", low[0].form, "throughput", (low[0], high[0]),
                      f"{len(low)} forms of {shorten(name)} have the one value, and {len(high)} the other",
                      tuple(value.form for value in low + high))


@rule("memory", "the way through memory differs between encodings of one operation")
def find_memory(table):
    """A form that changes a word of memory takes the time from copy to copy through the store and the load. The immediate makes no
    difference to that; where it does, the value depends on how long the instructions are, and where they lie."""
    def key(form):
        shape = form.shape
        return (shape.mnemonic, shape.prefix, shape.kinds) if shape.has_memory else None
    for (mnemonic, *_), group in grouped(table.forms.values(), key).items():
        values = [form.latency("memory", "memory") for form in group]
        values = sorted((value for value in values if value and not value.is_bound), key=lambda value: value.cycles)
        if len(values) > 1 and disagree(values[0], values[-1]) and values[-1].cycles - values[0].cycles > 0.3:
            yield Finding("memory", values[0].form, "latency memory -> memory", (values[0], values[-1]),
                          f"encodings of one {mnemonic}: they differ", tuple(value.form for value in values))
