"""Tools from hand-written definitions and bare JSON Schemas."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.tools.calling import call
from toolcrib.errors import ConfigurationError, ToolArgumentsError
from toolcrib.tools.define import tool_from_definition, tool_from_schema
from toolcrib.tools.definition import ReturnBehavior, ToolDefinition
from toolcrib.tools.tool import DerivedTool, ToolOptions

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "title": "City"},
        "days": {"type": "integer", "minimum": 1, "default": 3},
    },
    "required": ["city"],
    "x-vendor": {"kept": True},
}


def weather(city: str, days: int = 3) -> Any:
    return city, days


def test_the_schema_is_kept_verbatim() -> None:
    made = tool_from_schema(SCHEMA, weather, name="weather", description="Ask.")
    assert made.definition == ToolDefinition("weather", "Ask.", SCHEMA)
    assert made.definition.input_schema is SCHEMA


def test_values_arrive_as_keyword_arguments() -> None:
    made = tool_from_schema(SCHEMA, weather, name="weather")
    assert call(made, '{"city": "Oslo"}') == ("Oslo", 3)
    assert call(made, '{"city": "Oslo", "days": 2}') == ("Oslo", 2)


def test_arguments_are_checked_against_the_schema() -> None:
    made = tool_from_schema(SCHEMA, weather, name="weather")
    with pytest.raises(ToolArgumentsError) as caught:
        made.read('{"days": 0}')
    assert sorted(problem.path for problem in caught.value.problems) == ["city", "days"]
    assert caught.value.tool == "weather"


def test_keys_that_are_no_python_names_go_to_the_catch_all() -> None:
    schema = {
        "properties": {
            "from": {"type": "string"},
            "Content-Type": {"type": "string"},
            "to": {"type": "string"},
        },
        "required": ["from", "Content-Type", "to"],
    }

    def f(to: str, **arguments: Any) -> Any:
        return to, arguments

    made = tool_from_schema(schema, f, name="send")
    text = '{"from": "a", "Content-Type": "b", "to": "c"}'
    assert call(made, text) == ("c", {"from": "a", "Content-Type": "b"})


def test_a_lone_parameter_called_arguments_gets_them_all() -> None:
    def f(arguments: dict[str, Any]) -> Any:
        return arguments

    made = tool_from_schema(SCHEMA, f, name="it")
    assert call(made, '{"city": "Oslo"}') == {"city": "Oslo"}


def test_a_key_called_arguments_is_an_ordinary_key() -> None:
    def f(arguments: list[str]) -> Any:
        return arguments

    schema = {"properties": {"arguments": {"type": "array"}}, "required": ["arguments"]}
    assert call(tool_from_schema(schema, f, name="it"), '{"arguments": ["a"]}') == ["a"]


def test_a_definition_keeps_all_it_says() -> None:
    definition = ToolDefinition(
        "it", "Say.", None, returns=ReturnBehavior.IMMEDIATE, strict=True, metadata={"a": 1}
    )
    made = tool_from_definition(definition, lambda: 5, timeout=2, idempotent=True, retries=1)
    assert made.definition is definition
    assert made.options == ToolOptions(timeout=2, idempotent=True, retries=1)
    assert call(made, "") == 5


async def test_async_functions_and_generators_work_too() -> None:
    async def f(city: str, days: int = 3) -> str:
        return city

    async def g(city: str, days: int = 3) -> AsyncIterator[str]:
        yield city

    assert await call(tool_from_schema(SCHEMA, f, name="it"), '{"city": "Oslo"}') == "Oslo"
    made = tool_from_schema(SCHEMA, g, name="it")
    assert made.mode == "progress"
    assert [one async for one in call(made, '{"city": "Oslo"}')] == ["Oslo"]


def test_a_read_tool_drops_unknown_arguments() -> None:
    schema = {**SCHEMA, "additionalProperties": False}
    made = tool_from_schema(schema, weather, name="it", effect="read")
    assert made.read('{"city": "Oslo", "x": 1}').values == {"city": "Oslo"}
    strict = tool_from_schema(schema, weather, name="it")
    with pytest.raises(ToolArgumentsError):
        strict.read('{"city": "Oslo", "x": 1}')


def test_a_key_that_the_schema_allows_and_the_function_cannot_take_is_refused() -> None:
    open_schema = {**SCHEMA, "additionalProperties": True}
    made = tool_from_schema(open_schema, weather, name="it")
    with pytest.raises(ToolArgumentsError, match="'it'"):
        made.read('{"city": "Oslo", "wind": 1}')


def test_an_injected_name_cannot_come_from_the_model() -> None:
    from toolcrib.tools.context import ToolContext

    def f(context: ToolContext, **arguments: Any) -> Any:
        return arguments

    open_schema = {**SCHEMA, "additionalProperties": True}
    made = tool_from_schema(open_schema, f, name="it")
    with pytest.raises(ToolArgumentsError):
        made.read('{"city": "Oslo", "context": "mine"}')


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"type": "string"},
        {"type": ["object", "null"]},
        [],
        {"properties": []},
        {"required": "city"},
        {"properties": {"a": object()}},
    ],
)
def test_a_schema_that_is_no_object_is_refused(schema: Any) -> None:
    with pytest.raises(ConfigurationError, match="Tool 'it'"):
        tool_from_schema(schema, lambda **arguments: None, name="it")


def test_a_key_without_a_parameter_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"\['days'\].*\*\*arguments"):
        tool_from_schema(SCHEMA, lambda city: None, name="it")


def test_a_parameter_that_may_stay_unfilled_is_refused() -> None:
    def f(city: str, days: int) -> None: ...

    def g(city: str, days: int = 3, /) -> None: ...

    def h(city: str, days: int = 3, *, unit: str) -> None: ...

    for function, why in ((f, "'days'.*default"), (h, "'unit'.*default")):
        with pytest.raises(ConfigurationError, match=why):
            tool_from_schema(SCHEMA, function, name="it")
    with pytest.raises(ConfigurationError):
        tool_from_schema(SCHEMA, g, name="it")


def test_a_key_of_the_name_of_an_injected_parameter_is_refused() -> None:
    from toolcrib.tools.context import ToolContext

    def f(city: ToolContext, days: int = 3) -> None: ...

    with pytest.raises(ConfigurationError, match="'city'"):
        tool_from_schema(SCHEMA, f, name="it")


@pytest.mark.parametrize(
    "options", [{"retries": 1}, {"timeout": -1}, {"colour": "red"}, {"metadata": {1: 2}}]
)
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        tool_from_schema(SCHEMA, weather, name="it", **options)


def test_wrong_run_options_of_a_definition_are_refused() -> None:
    for options in ({"retries": 1}, {"colour": "red"}, {"effect": "read"}):
        with pytest.raises(ConfigurationError):
            tool_from_definition(ToolDefinition("it"), lambda: None, **options)  # type: ignore[arg-type]


def test_a_tool_under_another_name_explains_errors_under_that_name() -> None:
    made = tool_from_schema(SCHEMA, weather, name="weather")
    renamed = DerivedTool(made, ToolDefinition("forecast", None, SCHEMA))
    with pytest.raises(ToolArgumentsError, match="tool 'forecast'") as caught:
        renamed.read("{}")
    assert "'weather'" not in str(caught.value)
    assert call(renamed, '{"city": "Oslo"}') == ("Oslo", 3)


def test_a_narrower_schema_of_a_derived_tool_holds() -> None:
    made = tool_from_schema(SCHEMA, weather, name="weather")
    narrow = {**SCHEMA, "properties": {**SCHEMA["properties"], "city": {"enum": ["Oslo"]}}}
    derived = DerivedTool(made, ToolDefinition("weather", None, narrow))
    assert call(derived, '{"city": "Oslo"}') == ("Oslo", 3)
    with pytest.raises(ToolArgumentsError):
        derived.read('{"city": "Bergen"}')
