"""The tools of real MCP servers: right arguments are read unchanged, wrong ones blamed where they are."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases import files, rows
from tests.schema.examples import example, faults
from tests.schema.reading import by_schema
from toolcrib.errors import ToolArgumentsError


def served() -> Iterator[dict[str, Any]]:
    """Name and input schema of each tool."""
    for row in rows("mcp-tools/*.jsonl"):
        yield {"id": row["name"], "schema": row["inputSchema"]}
    for path in files("mcp-servers/*.json"):
        for row in json.loads(path.read_text(encoding="utf-8"))["tools"]:
            yield {"id": f"{path.stem}/{row['name']}", "schema": row["inputSchema"]}


Draft202012Validator: Any = pytest.importorskip("jsonschema").Draft202012Validator
TOOLS = list(served())

pytestmark = [
    pytest.mark.cases,
    pytest.mark.skipif(not TOOLS, reason="no such cases"),
]


def examples(schema: Any) -> Iterator[tuple[Any, Any]]:
    """Arguments that another implementation of JSON Schema accepts."""
    judge = Draft202012Validator(schema)
    for whole in (False, True):
        for branch in (0, 1, 2):
            arguments = example(schema, schema, whole=whole, branch=branch)
            if judge.is_valid(arguments):
                yield arguments, judge


def test_right_arguments_are_read_as_they_are() -> None:
    tried = 0
    for tool in TOOLS:
        reader = by_schema(tool["schema"])
        for arguments, _ in examples(tool["schema"]):
            found = reader.read(json.dumps(arguments))
            assert found.values == arguments, tool["id"]
            assert found.repairs == (), tool["id"]
            tried += 1
    assert tried >= len(TOOLS)


def test_wrong_arguments_are_refused_where_they_are_wrong() -> None:
    for tool in TOOLS:
        reader = by_schema(tool["schema"])
        for arguments, judge in examples(tool["schema"]):
            for path, wrong in faults(arguments):
                if judge.is_valid(wrong):
                    continue
                try:
                    found = reader.read(json.dumps(wrong))
                except ToolArgumentsError as error:
                    paths = {one.path for one in error.problems}
                    at = [p for p in paths if p.startswith(path) or path.startswith(p)]
                    assert at, (tool["id"], path, paths)
                else:
                    assert found.repairs, (tool["id"], path)
                    assert judge.is_valid(found.values), (tool["id"], path)
