"""Tables of published results: CSV as `cyclops table --csv` prints it, without the columns that hold code, compressed with xz.

Reading trusts nothing: a file of a stranger may be damaged, huge or made to harm who opens it."""

import csv
import io
import json
import lzma
import math
import os

LEFT_OUT = ("bytes", "example", "kernel", "class")
MOST_BYTES = 500_000           # of a compressed table
MOST_TEXT = 64 << 20           # of any file, once it is not compressed any more
MOST_COLUMNS = 256             # as the program has it (base/csv_read.h)
REQUIRED = ("form", "quantity", "source", "destination", "cycles", "low", "high", "relation", "verdict", "why", "headline")
WIDTH_SHARE = 8                # a rounded interval is wider by at most this part of its width, at each end


class Unreadable(Exception):
    """A file that cannot be read; its text is one line."""


def rounded(number, decimals, towards):
    scaled = round(number * 10 ** decimals, 6)  # what was printed with fewer digits stays as it is
    text = f"{towards(scaled) / 10 ** decimals:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def round_row(row):
    """The value and its interval with the digits that the interval's width supports. The interval still holds what it held."""
    if not row["cycles"]:
        return row
    value, low, high = (float(row[key]) for key in ("cycles", "low", "high"))
    width = high - low
    decimals = 5 if width <= 0 else min(5, max(0, math.ceil(math.log10(WIDTH_SHARE / width))))
    return {**row, "cycles": rounded(value, decimals, round), "low": rounded(low, decimals, math.floor), "high": rounded(high, decimals, math.ceil)}


def packed(text):
    """The bytes of a table that is published, of the text that `cyclops table --csv` printed."""
    rows = csv.DictReader(io.StringIO(text))
    out = io.StringIO()
    writer = csv.DictWriter(out, [name for name in rows.fieldnames if name not in LEFT_OUT], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(round_row(row))
    return lzma.compress(out.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME)


def text_of(path):
    """A file's text, of .xz what was compressed. Unreadable: too large, cut short, no UTF-8, or with a zero byte."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_TEXT + 1)
        if path.endswith(".xz"):
            unpacker = lzma.LZMADecompressor(memlimit=256 << 20)
            data = unpacker.decompress(data, MOST_TEXT + 1)
            if len(data) <= MOST_TEXT and not unpacker.eof:
                raise Unreadable("it is cut short")
            if unpacker.unused_data:
                raise Unreadable("something stands behind its end")
    except lzma.LZMAError as error:
        raise Unreadable(f"it is no xz file: {error}") from error
    except OSError as error:
        raise Unreadable(error.strerror) from error
    if len(data) > MOST_TEXT:
        raise Unreadable(f"it holds more than {MOST_TEXT >> 20} MiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start} is no UTF-8") from error
    if "\0" in text:
        raise Unreadable("it has a zero byte")
    return text


def rows_of(path):
    """Line number and row of each line of a table's CSV."""
    text = text_of(path)
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        titles = reader.fieldnames or []
        if len(titles) > MOST_COLUMNS or not all(title.isprintable() and len(title) <= 200 for title in titles):
            raise Unreadable(f"it is no table of 'cyclops table --csv': its {len(titles)} titles are no names of columns")
        missing = [name for name in REQUIRED if name not in titles]
        if missing:
            raise Unreadable(f"it is no table of 'cyclops table --csv': no column {missing[0]}")
        if len(set(titles)) < len(titles):
            raise Unreadable("two columns have one title")
        for row in reader:
            if None in row or None in row.values():
                raise Unreadable(f"line {reader.line_num} has another number of cells than the titles")
            yield reader.line_num, row
    except csv.Error as error:
        raise Unreadable(f"line {reader.line_num}: {error}") from error


def host_of(folder):
    """What host.json of a folder states; {}: there is none."""
    path = os.path.join(folder, "host.json")
    if not os.path.exists(path):
        return {}
    try:
        host = json.loads(text_of(path))
    except (ValueError, RecursionError) as error:  # also a number of too many digits
        raise Unreadable(f"host.json is no JSON: {error}") from error
    if not isinstance(host, dict):
        raise Unreadable("host.json holds no object")
    return host
