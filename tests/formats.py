#!/usr/bin/env python3
"""Validates a file that Cyclops wrote against a schema of docs/reference/schema/.

    formats.py SCHEMA FILE [KIND...]
    formats.py --each SCHEMA FILE...      several files

FILE holds JSON Lines, or CSV or YAML where the schema says so. Each KIND (a name in the schema's $defs) must be among its lines. The published schemas allow more
keys than they name, because later versions may add some; here every key must be named. Exits 77 without python3-jsonschema or python3-yaml, 1 where a line does not fit."""

import csv
import json
import os
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError:
    print("skipped: there is no python3-jsonschema, or no python3-yaml")
    sys.exit(77)

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "reference", "schema")


def load(name):
    return json.load(open(os.path.join(FOLDER, name), encoding="utf-8"))


def resolved(node):
    """The schema with references to other files in their place, and no key allowed that it does not name."""
    if isinstance(node, list):
        return [resolved(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node and not node["$ref"].startswith("#"):
        name, _, path = node.pop("$ref").partition("#/")
        there = load(name)
        for part in path.split("/"):
            there = there[part]
        node = {**there, **node}
    # Not below "properties": a key there may be called as a word of JSON Schema's.
    result = {key: {name: resolved(inner) for name, inner in value.items()} if key in ("properties", "patternProperties", "$defs") else value if key == "if" else resolved(value)
              for key, value in node.items()}
    if "properties" in result and "additionalProperties" not in result:
        result["additionalProperties"] = False
    return result


def unique(pairs):
    """A JSON object; a key that is there twice is an error that parsers hide."""
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a key is there twice: {sorted(key for key in keys if keys.count(key) > 1)[0]}")
    return dict(pairs)


def number_of(text, schema):
    """A cell as the type that the schema has for it."""
    types = schema.get("type", "string")
    if types in ("number", "integer") and re.fullmatch(r"-?\d+(\.\d+)?(e[-+]\d+)?", text):
        return float(text) if types == "number" or "." in text else int(text)
    return text


def rows_of_csv(path, schema):
    """Rows without their empty cells. The titles must be those of the schema, in that order, then those of models."""
    rows = list(csv.reader(open(path, encoding="utf-8", newline=""))) or [[""]]
    optional = schema.get("x-optional-columns", [])
    wanted = [name for name in schema["properties"] if name not in optional or name in rows[0]]
    patterns = schema.get("patternProperties", {})
    titles, models = rows[0][:len(wanted)], rows[0][len(wanted):]
    if titles != wanted:
        raise ValueError(f"line 1: the columns are {','.join(titles)}, not {','.join(wanted)}")
    for title in models:
        if not any(re.search(pattern, title) for pattern in patterns):
            raise ValueError(f"line 1: no column is called '{title}'")

    def schema_of(title):
        return schema["properties"].get(title) or next(inner for pattern, inner in patterns.items() if re.search(pattern, title))
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(rows[0]):
            raise ValueError(f"line {number}: {len(row)} cells under {len(rows[0])} titles")
        yield number, {title: number_of(cell, schema_of(title)) for title, cell in zip(rows[0], row) if cell}


def rows_of_json(path):
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        try:
            yield number, json.loads(line, object_pairs_hook=unique, parse_constant=lambda word: float("?" + word))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error


class Yaml(yaml.SafeLoader):
    """YAML 1.2's scalars: what is no number, truth or null is a text."""
    yaml_implicit_resolvers = {}

    def construct_mapping(self, node, deep=False):
        return unique([(self.construct_object(key, deep=True), self.construct_object(value, deep=True)) for key, value in node.value])


Yaml.add_constructor("tag:yaml.org,2002:map", lambda loader, node: loader.construct_mapping(node))
for tag, pattern, first in (("bool", "true|false", "tf"), ("null", "null|~|", ["n", "~", ""]), ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+", "-+0123456789"),
                            ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789")):
    Yaml.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))


def rows_of_yaml(path):
    """The whole file as one row."""
    try:
        yield 1, yaml.load(open(path, encoding="utf-8"), Yaml)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def kind_of(row, kinds):
    """The kind of a line: the one with its `record`; otherwise the one all of whose required keys it has."""
    for name, part in kinds.items():
        record = part.get("properties", {}).get("record", {}).get("const")
        if row.get("record") == record and (record or set(part.get("required", [])) <= set(row)):
            return name
    raise ValueError(f"no kind of line has these keys: {', '.join(row)}")


def validate(name, schema, validators, path, wanted):
    """Ends the program where the file does not fit. Returns how many lines of each kind it has."""
    kinds = schema.get("$defs", {"": schema})
    seen = dict.fromkeys(kinds, 0)
    try:
        for number, row in rows_of_csv(path, schema) if schema.get("x-csv") else rows_of_yaml(path) if schema.get("x-yaml") else rows_of_json(path):
            kind = kind_of(row, kinds)
            seen[kind] += 1
            for error in validators[kind].iter_errors(row):
                raise ValueError(f"line {number}: {'.'.join(map(str, error.absolute_path)) or kind or 'row'}: {error.message[:300]}")
        missing = [kind for kind in wanted if not seen[kind]] or (["any"] if not sum(seen.values()) else [])
        if missing:
            raise ValueError(f"there is no line of kind {', '.join(missing)}")
    except (ValueError, KeyError) as error:
        sys.exit(f"{path}: {name}: {error}")
    return ", ".join(f"{kind} {n}".strip() for kind, n in seen.items() if n)


def main():
    is_each = sys.argv[1] == "--each"
    name, *rest = sys.argv[1 + is_each:]
    paths, wanted = (rest, []) if is_each else (rest[:1], rest[1:])
    schema = resolved(load(name + ".json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validators = {kind: jsonschema.Draft202012Validator(part) for kind, part in schema.get("$defs", {"": schema}).items()}
    for path in paths:
        print("valid:", validate(name, schema, validators, path, wanted))


main()
