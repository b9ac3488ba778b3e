"""Faults that were reported of libraries of this kind, each as a small case of its kind."""

from __future__ import annotations

import enum
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, Field

from tests.tools.calling import call, run_context
from toolcrib.tools.context import ToolContext
from toolcrib.tools.define import tool_from_schema
from toolcrib.tools.function import tool
from toolcrib.tools.wrappers import mapped, prefixed


class Level(enum.Enum):
    LOW = "low"
    HIGH = "high"


class Node(BaseModel):
    name: str
    next: Annotated[Node | None, Field(description="the one behind")] = None


class Filter(BaseModel):
    level: Level | None = None


def schema(function: Any) -> dict[str, Any]:
    return dict(tool(function).definition.input_schema or {})


def test_a_union_in_one_parameter_leaves_the_others_required() -> None:
    def f(
        query: str, tags: list[str] | None = None, more: dict[str, int | str] | int = 1
    ) -> None: ...

    assert schema(f)["required"] == ["query"]


def test_an_async_function_may_have_nullable_parameters() -> None:
    async def f(place: str | None = None) -> None: ...

    assert "required" not in schema(f)
    assert schema(f)["properties"]["place"]["default"] is None
    assert "null" in str(schema(f)["properties"]["place"])


def test_unions_of_plain_types_are_shown_as_unions() -> None:
    def f(x: str | int, y: str | None = None) -> None: ...

    assert [one["type"] for one in schema(f)["properties"]["x"]["anyOf"]] == ["string", "integer"]
    assert schema(f)["required"] == ["x"]


def test_a_progress_tool_hides_its_context_and_ignores_its_return_type() -> None:
    async def f(circuit_id: str, ctx: ToolContext) -> AsyncGenerator[dict[str, Any], None]:
        yield {}

    assert list(schema(f)["properties"]) == ["circuit_id"]
    assert tool(f).mode == "progress"


async def test_changing_a_tool_keeps_the_definitions_that_its_schema_points_to() -> None:
    raw = {
        "type": "object",
        "properties": {"a": {"anyOf": [{"$ref": "#/$defs/Flag"}, {"type": "null"}]}},
        "$defs": {"Flag": {"type": "boolean"}},
    }
    made = tool_from_schema(raw, lambda a=None: a, name="it")
    changed = mapped(prefixed([made], "x"), lambda one: replace(one, description="other"))
    (derived,) = await changed.tools(run_context())
    assert derived.definition.input_schema is raw
    assert call(derived, '{"a": true}') is True


def test_a_recursive_reference_with_a_description_ends() -> None:
    def f(node: Annotated[Node, "the first"]) -> Node:
        return node

    shown = schema(f)
    assert shown["properties"]["node"]["description"] == "the first"
    assert "the one behind" in str(shown["$defs"]["Node"])
    assert call(tool(f), '{"node": {"name": "a", "next": {"name": "b"}}}').next.name == "b"


def test_a_nullable_enum_inside_a_model_keeps_members_and_null() -> None:
    def f(filter: Filter) -> Filter:
        return filter

    shown = str(schema(f))
    assert "'low', 'high'" in shown
    assert "null" in shown
    assert call(tool(f), '{"filter": {"level": "low"}}').level is Level.LOW


def test_a_name_of_any_form_is_kept_as_it_is() -> None:
    for name in ("Utilities.get_time", "web_search", "plugin-web_search", "a/b:c"):
        assert tool(lambda: None, name=name).name == name


def test_two_parameters_of_one_type_keep_their_own_descriptions() -> None:
    def f(
        a: Annotated[Filter, "the first"], b: Annotated[Filter, "the second"], c: Filter
    ) -> None: ...

    shown = schema(f)["properties"]
    assert [shown[name].get("description") for name in "abc"] == ["the first", "the second", None]


def test_making_a_tool_again_gives_an_equal_definition() -> None:
    def f(node: Node, filter: Filter, level: Level = Level.LOW) -> None: ...

    assert tool(f).definition == tool(f).definition
    assert tool(f).definition.to_json() == tool(f).definition.to_json()
