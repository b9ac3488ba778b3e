"""Definitions as JSON: the same bytes each time, and nothing lost on the way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolcrib.errors import ConfigurationError
from toolcrib.tools.definition import ReturnBehavior, ToolDefinition, Visibility

RAW: dict[str, Any] = {
    "type": "object",
    "title": "kept",
    "properties": {
        "a": {"type": ["string", "null"], "format": "date", "pattern": "^x"},
        "b": {"enum": [1, "two", None, 2.5]},
        "c": {"$ref": "https://example.org/other#/it"},
        "d": {"type": "object", "additionalProperties": {"type": "integer"}},
        "e": {"anyOf": [{"type": "array", "items": {}}, {"$ref": "#/$defs/E"}]},
        "名": {"description": None},
    },
    "required": ["b", "a"],
    "$defs": {"E": {"type": "weird"}},
    "x-anything": [1, {"deep": [True]}],
}

DEFINITIONS = [
    ToolDefinition("it"),
    ToolDefinition("it", "Say it.", RAW, {"type": "string"}),
    ToolDefinition("it", strict=True),
    ToolDefinition("it", strict=False),
    ToolDefinition("查询", "天气", metadata={"team": "a", "more": {"deep": [1, 2.5, None]}}),
    ToolDefinition(
        "it",
        returns=ReturnBehavior.IMMEDIATE_IF_LAST,
        visibility=Visibility.ALWAYS,
        effect="write",
        undoable=True,
    ),
]


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_a_definition_survives_its_json(definition: ToolDefinition) -> None:
    text = definition.to_json()
    loaded = ToolDefinition.from_json(text)
    assert loaded == definition
    assert loaded.visibility is definition.visibility
    assert loaded.to_json() == text
    assert ToolDefinition.from_json(text.encode()) == definition


def test_the_bytes_are_these() -> None:
    definition = ToolDefinition(
        "weather",
        "Ask for it.",
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        effect="read",
        strict=False,
        metadata={"b": 1, "a": "ä"},
    )
    assert definition.to_json() == (
        '{"name":"weather","description":"Ask for it.","input_schema":{"type":"object","properties":'
        '{"city":{"type":"string"}},"required":["city"]},"effect":"read","strict":false,'
        '"metadata":{"b":1,"a":"ä"}}'
    )


def test_what_has_its_default_is_left_out() -> None:
    assert json.loads(ToolDefinition("it").to_json()) == {"name": "it"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "JSON text"),
        ("", "JSON text"),
        ("{", "JSON text"),
        ("null", "JSON object"),
        ("[]", "JSON object"),
        ("{}", "'name'"),
        ('{"name": 5}', "'name'"),
        ('{"name": null}', "'name'"),
        ('{"name": ""}', "needs a name"),
        ('{"name": "a b"}', "blanks"),
        ('{"name": "a", "description": 5}', "'description'"),
        ('{"name": "a", "input_schema": []}', "'input_schema'"),
        ('{"name": "a", "input_schema": "text"}', "'input_schema'"),
        ('{"name": "a", "output_schema": 1}', "'output_schema'"),
        ('{"name": "a", "metadata": []}', "'metadata'"),
        ('{"name": "a", "strict": "yes"}', "'strict'"),
        ('{"name": "a", "strict": 1}', "'strict'"),
        ('{"name": "a", "returns": "later"}', "'to_model', 'immediate', 'immediate_if_last'"),
        ('{"name": "a", "visibility": "never"}', "'searchable', 'always'"),
        ('{"name": "a", "effect": "delete"}', "'read' or 'write'"),
        ('{"name": "a", "undoable": "no"}', "'undoable'"),
        ('{"name": "a", "nmae": "b"}', "no key 'nmae'"),
    ],
)
def test_wrong_json_is_refused_naming_the_key(data: Any, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        ToolDefinition.from_json(data)


def test_a_definition_can_be_a_key() -> None:
    one, same = (ToolDefinition("it", metadata={"a": [1]}) for _ in range(2))
    assert {one: 1}[same] == 1


@pytest.mark.parametrize("name", ["", "a b", "a\tb", "a\x00", "a\x7f", "x" * 129])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError):
        ToolDefinition(name)


@pytest.mark.parametrize("name", ["a", "a.b/c:d", "x" * 128, "naïve", "🔧"])
def test_other_names_are_left_to_the_dialects(name: str) -> None:
    assert ToolDefinition(name).name == name
