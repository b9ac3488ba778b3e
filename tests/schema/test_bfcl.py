"""Declarations of the Berkeley leaderboard work as schemas; right calls pass and wrong ones do not."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.schema.bfcl import Call, calls, declarations
from tests.schema.reading import by_schema, problems
from toolcrib import Toolbox, ToolCall, ToolDefinition, tool_from_definition

CALLS = list(calls("simple_python", "multiple", "parallel", "parallel_multiple"))
DECLARATIONS = list(declarations("[!m]*", "multiple"))

pytestmark = pytest.mark.cases
needs_calls = pytest.mark.skipif(not CALLS, reason="no such cases")

WRONG: dict[str, Any] = {
    "string": {"not": "text"},
    "integer": "many",
    "number": "many",
    "boolean": "perhaps",
    "array": None,
    "object": "nothing",
}


@needs_calls
def test_every_right_call_is_read_without_a_repair() -> None:
    for call in CALLS:
        found = by_schema(call.schema).read(json.dumps(call.arguments))
        assert found.values == call.arguments, call.id
        assert found.repairs == (), call.id


def mutations(call: Call) -> list[tuple[str, dict[str, Any]]]:
    """A path that must be blamed, and arguments with exactly that fault."""
    found = [("surprise_me", {**call.arguments, "surprise_me": 1})]
    for name in call.schema.get("required", ()):
        if name in call.arguments:
            rest = {key: value for key, value in call.arguments.items() if key != name}
            found.append((name, rest))
    for name in call.arguments:
        kind = call.schema["properties"].get(name, {}).get("type")
        if kind in WRONG:
            found.append((name, {**call.arguments, name: WRONG[kind]}))
    return found


@needs_calls
def test_every_wrong_call_is_refused_at_the_right_path() -> None:
    for call in CALLS:
        reader = by_schema(call.schema)
        for name, arguments in mutations(call):
            if arguments.get(name, 0) is None and name not in call.schema.get("required", ()):
                continue  # null for what may be left out means that it is left out
            paths = {one.path for one in problems(reader, json.dumps(arguments))}
            assert paths == {name} or paths == {json.dumps(name)}, (call.id, name, paths)


@pytest.mark.skipif(not DECLARATIONS, reason="no such cases")
def test_every_declaration_can_be_read_against() -> None:
    for name, schema in DECLARATIONS:
        required = {one for one in schema.get("required", ()) if one in schema["properties"]}
        if not required:
            assert by_schema(schema).read("{}").values == {}, name
            continue
        found = problems(by_schema(schema), "{}")
        assert {one.path.strip('"') for one in found} == required, name
        assert all(one.received is None for one in found), name


@needs_calls
def test_every_right_call_runs_and_brings_its_values_to_the_function() -> None:
    for call in CALLS:
        got: list[dict[str, Any]] = []
        definition = ToolDefinition(call.name, input_schema=call.schema)
        box = Toolbox([tool_from_definition(definition, _stand_in(got))])
        (execution,) = box.execute_sync([ToolCall("c", call.name, json.dumps(call.arguments))])
        assert (execution.state, execution.value) == ("committed", "done"), call.id
        assert got == [call.arguments], call.id


def _stand_in(got: list[dict[str, Any]]) -> Callable[..., str]:
    def take(**arguments: Any) -> str:
        got.append(arguments)
        return "done"

    return take
