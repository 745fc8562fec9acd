"""Measured numbers of documents, held against the files of results/ that they come from.

A comment in front of a paragraph, table or code block names the file, and what of it stands there:

    <!-- from results/zen4-2026-11-28/table.csv.xz: VADDPSYrr latency 1 0 in VADDPSYrr -->
    <!-- from results/zen5-2026-11-27/card.yaml: reorder-buffer in reorder buffer -->
    <!-- from results/ablation/skylake.txt: all [1 2 3 4] in skylake | BHive -->
    <!-- from results/measured/corpus-znver4.scores.csv: llvm-22/znver4 unrolled all: mean_error tau_b in LLVM 22 | unrolled -->

Of a table: the form, and the quantity with its operands; of throughputs that are not the
headline, also `unrolled` or `looped`. Of a card: the entry's name. Of a text: how the line begins, and
which of its numbers. Of scores: model, form and kind of blocks, and the columns; shares as per cent. Behind `in`: words of the line that has them; without it, the whole block is searched. A number is there
where one of the block is the file's, rounded to the digits that the block prints."""

import csv
import functools
import io
import lzma
import re

COMMENT = re.compile(r"^<!-- from (\S+): (.*?)(?: in (.*?))? -->\n", re.M)
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])")


@functools.lru_cache(None)
def text_of(path):
    if path.endswith(".xz"):
        return lzma.open(path, "rt", encoding="utf-8").read()
    return open(path, encoding="utf-8").read()


@functools.lru_cache(None)
def rows_of(path):
    rows = {}
    for row in csv.DictReader(io.StringIO(text_of(path))):
        words = [word for word in (row["form"], row["quantity"], row["source"], row["destination"]) if word]
        if row["quantity"] != "throughput" or row["headline"] == "yes":
            rows[" ".join(words)] = row
        if row["quantity"] == "throughput" and not row["fillers"]:
            rows.setdefault(" ".join(words + [row["code"]]), row)
    return rows


def scores_of(path, key):
    """Of `corpus score --csv`: "MODEL FORM KIND: COLUMN COLUMN"."""
    line, _, columns = key.rpartition(": ")
    for row in csv.DictReader(io.StringIO(text_of(path))):
        if line == " ".join((row["model"], row["form"], row["kind"])):
            return [row[column] if column == "tau_b" else str(100 * float(row[column])) for column in columns.split()]
    return None


def numbers_of(path, key):
    """The file's numbers; None: it has no such line."""
    if path.endswith(".scores.csv"):
        return scores_of(path, key)
    if ".csv" in path:
        row = rows_of(path).get(key)
        return [row["cycles"]] if row else None
    if path.endswith(".yaml"):
        entry = re.search(r"^ *- \{name: %s, (.*)\}$" % re.escape(key), text_of(path), re.M)
        return entry and [value for _, value in re.findall(r"\b(value|low|high): ([\d.]+)", entry[1])]
    choice = re.fullmatch(r"(.*?) \[([\d ]+)\]", key)
    start, places = (choice[1], [int(place) for place in choice[2].split()]) if choice else (key, None)
    line = re.search(r"^%s(?=[ :,]).*$" % re.escape(start), text_of(path), re.M)
    if not line:
        return None
    numbers = NUMBER.findall(line[0][len(start):])
    if places and max(places) > len(numbers):
        return None
    return [numbers[place - 1] for place in places] if places else numbers


def is_there(number, block):
    for printed in NUMBER.findall(re.sub(r"(?<=\d),(?=\d{3}\b)", "", block)):
        decimals = len(printed.partition(".")[2])
        # A whole number near it mostly stands there for something else.
        rounding = 0.5 * 10 ** -decimals if decimals else min(0.5, 0.03 * abs(float(number)))
        if abs(float(number) - float(printed)) <= rounding + 1e-9:
            return True
    return False


# A CPU by its name, and a number as measurements have them.
CPU = re.compile(r"\b(?:Zen \d|(?:Golden|Redwood|Lion) Cove|Skylake|Haswell|Ivy Bridge|Ice Lake|Sapphire Rapids|EPYC|Cortex-\w+|Neoverse)")
VALUE = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)|\b\d[\d,]* (?:cycles|slots|ns|µs|%)")


def without_file(text):
    """Offset of each sentence that states a number of a CPU."""
    for sentence in re.finditer(r"\S.*?(?:[.:;](?=\s)|\Z)", text, re.S):
        if CPU.search(sentence[0]) and VALUE.search(CPU.sub("", sentence[0])):
            yield sentence.start()


def bare_numbers(document, text):
    """Offset and problem of measured numbers of CPUs that no comment names the file of. Tables, code and dated samples are left out;
    in a source, no comment may state any: it names the document."""
    if not document.endswith(".md"):
        for comment in re.finditer(r"(?:^[^\n\"]*//.*\n)(?:\s*//.*\n)*", text, re.M):
            prose = re.sub(r"^[^\n]*?//", lambda start: " " * len(start[0]), comment[0], flags=re.M)
            for offset in without_file(prose):
                yield comment.start() + offset, "a measured number of a CPU: a document states it, from a file of results/"
        return
    code = re.compile(r"^```.*?^```|^    .*?$|^\|.*?$", re.M | re.S)
    for block in re.finditer(r"(?:.+\n?)+", code.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)):
        if not block[0].startswith("<!--") and not re.search(r"\d (?:November|December) 20\d\d", block[0]):
            for offset in without_file(block[0]):
                yield block.start() + offset, "a measured number of a CPU: name its file in a comment (scripts/measured_values.py)"


def claims(document, text):
    """Offset and problem of each such comment."""
    for comment in COMMENT.finditer(text):
        path, key, words = comment.groups()
        rest = re.sub(r"\A(?:<!-- .*? -->\n)*(?:```\n)?", "", text[comment.end():])
        block = re.split(r"\n\n|\n```", rest, maxsplit=1)[0]
        lines = [line for line in block.split("\n") if not words or words in line]
        try:
            numbers = numbers_of(path, key)
        except OSError:
            yield comment.start(), f"no such file: {path}"
            continue
        if not numbers:
            yield comment.start(), f"{path} has no number for '{key}'"
        elif not lines:
            yield comment.start(), f"no line below has the words '{words}'"
        else:
            missing = [number for number in numbers if not is_there(number, "\n".join(lines))]
            yield comment.start(), f"{path} has {', '.join(missing)} for '{key}', which does not stand below" if missing else None
