"""A hand-written JSON Schema is checked in the documented subset, and its values stay JSON."""

from typing import Any

import pytest

from tests.schema.reading import by_schema, problems


def of(node: Any, **beside: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": node}, "required": ["x"], **beside}


ACCEPTED = [
    ({"type": "integer"}, "3", 3),
    ({"type": "number"}, "3", 3),
    ({"type": "number"}, "1.10", 1.1),
    ({"type": ["integer", "null"]}, "null", None),
    ({"type": ["string", "integer"]}, '"3"', "3"),
    ({"enum": ["a", 1, None, {"b": [1]}]}, '{"b": [1]}', {"b": [1]}),
    ({"const": 1.5}, "1.5", 1.5),
    ({}, '{"a": 1.5}', {"a": 1.5}),
    (True, "[1.5]", [1.5]),
    ({"type": "object"}, '{"a": 1.0}', {"a": 1.0}),
    ({"type": "array"}, "[1, null]", [1, None]),
    ({"type": "array", "items": {"type": "integer"}, "maxItems": 2}, "[1, 2]", [1, 2]),
    ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, '["a"]', ["a"]),
    ({"type": "array", "items": [{"type": "string"}, {"type": "integer"}]}, '["a", 1]', ["a", 1]),
    ({"properties": {"a": {"type": "integer"}}}, "3", 3),
    ({"minimum": 5}, '"a"', "a"),
    ({"minLength": 5}, "3", 3),
    ({"type": "string", "pattern": "^a+$"}, '"aaa"', "aaa"),
    ({"type": "string", "pattern": "(?=never)looked"}, '"at"', "at"),
    ({"type": "string", "format": "date-time"}, '"yesterday"', "yesterday"),
    ({"type": "number", "multipleOf": 0.1}, "0.3", 0.3),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, '"3"', "3"),
    ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, "3", 3),
    ({"allOf": [{"type": "integer"}, {"minimum": 3}]}, "3", 3),
    ({"not": {"type": "string"}}, "3", 3),
    ({"not": False}, "1.5", 1.5),
    ({"$ref": "#/$defs/N"}, '{"next": {"next": null}}', {"next": {"next": None}}),
    ({"$ref": "https://elsewhere/schema"}, "3", 3),
    ({"$ref": "#/$defs/circle"}, "3", 3),
    ({"type": "integer", "unheardOf": 3, "default": "x"}, "3", 3),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, '{"a": 1}', {"a": 1}),
    (
        {
            "type": "object",
            "patternProperties": {"^a": {"type": "integer"}},
            "additionalProperties": False,
        },
        '{"ab": 1}',
        {"ab": 1},
    ),
    ({"type": "object", "properties": {"a": {}}}, '{"a": 1, "b": 2}', {"a": 1, "b": 2}),
]

REPAIRED = [
    ({"type": "integer"}, '"3"', 3),
    ({"type": "integer"}, "3.0", 3),
    ({"type": "number"}, '"3.5"', 3.5),
    ({"type": "boolean"}, '"true"', True),
    ({"type": "string"}, "3", "3"),
    ({"type": ["integer", "null"]}, '"null"', None),
    ({"enum": ["Paris", "Rome"]}, '"paris"', "Paris"),
    ({"type": "array", "items": {"type": "integer"}}, '"[1]"', [1]),
    ({"type": "array", "items": {"type": "integer"}}, "1", [1]),
    ({"type": "array", "uniqueItems": True}, "[1, 1.0, true]", [1, True]),
    ({"type": "object", "properties": {"a": {"type": "integer"}}}, '{"a": null}', {}),
    (
        {"type": "object", "properties": {"aB": {}}, "additionalProperties": False},
        '{"a_b": 1}',
        {"aB": 1},
    ),
    ({"oneOf": [{"type": "integer"}, {"type": "boolean"}]}, '"3"', 3),
    ({"$ref": "#/$defs/N"}, '{"next": "{\\"next\\": null}"}', {"next": {"next": None}}),
]

REFUSED = [
    (False, "1", "x"),
    ({"type": "integer"}, "3.5", "x"),
    ({"type": "string"}, "null", "x"),
    ({"enum": ["a"]}, '"b"', "x"),
    ({"const": 1}, "true", "x"),
    ({"type": "integer", "minimum": 3}, "2", "x"),
    ({"type": "integer", "exclusiveMaximum": 3}, "3", "x"),
    ({"type": "number", "multipleOf": 0.1}, "0.35", "x"),
    ({"minimum": 5}, "4", "x"),
    ({"minLength": 5}, '"abc"', "x"),
    ({"type": "string", "pattern": "^a+$"}, '"b"', "x"),
    ({"type": "array", "minItems": 2, "items": {"type": "integer"}}, "[1]", "x"),
    ({"type": "array", "items": {"type": "integer"}}, '[1, "b"]', "x[1]"),
    ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, '["a", 1]', "x[1]"),
    ({"properties": {"a": {"type": "integer"}}}, '{"a": "b"}', "x.a"),
    ({"type": "object", "required": ["a"]}, "{}", "x.a"),
    ({"type": "object", "minProperties": 1}, "{}", "x"),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, '{"a b": "c"}', 'x["a b"]'),
    ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, '{"q": 1}', "x.q"),
    ({"type": "object", "propertyNames": {"maxLength": 2}}, '{"abc": 1}', "x.abc"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, '"b"', "x"),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "3", "x"),
    ({"allOf": [{"type": "integer"}, {"minimum": 3}]}, "2", "x"),
    ({"allOf": [{"type": "string"}, {"type": "integer"}]}, '"5"', "x"),
    ({"oneOf": [{"type": "array"}, {"type": "array", "items": {}}]}, "5", "x"),
    ({"not": {"type": "string"}}, '"b"', "x"),
    ({"$ref": "#/$defs/N"}, '{"next": {"next": 1}}', "x.next.next"),
]

DEFINITIONS = {
    "N": {
        "type": "object",
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}},
    },
    "circle": {"$ref": "#/$defs/other"},
    "other": {"$ref": "#/$defs/circle"},
}


@pytest.mark.parametrize(("node", "text", "expected"), ACCEPTED)
def test_what_a_schema_allows_is_read_as_json(node: Any, text: str, expected: Any) -> None:
    found = by_schema(of(node, **{"$defs": DEFINITIONS})).read(f'{{"x": {text}}}')
    assert found.values == {"x": expected}
    assert type(found.values["x"]) is type(expected)
    assert found.repairs == ()


@pytest.mark.parametrize(("node", "text", "expected"), REPAIRED)
def test_an_odd_spelling_is_read_as_the_schema_means_it(
    node: Any, text: str, expected: Any
) -> None:
    found = by_schema(of(node, **{"$defs": DEFINITIONS})).read(f'{{"x": {text}}}')
    assert found.values == {"x": expected}
    assert type(found.values["x"]) is type(expected)
    assert found.repairs


@pytest.mark.parametrize(("node", "text", "path"), REFUSED)
def test_what_a_schema_forbids_is_refused_at_its_path(node: Any, text: str, path: str) -> None:
    reader = by_schema(of(node, **{"$defs": DEFINITIONS}))
    assert [problem.path for problem in problems(reader, f'{{"x": {text}}}')] == [path]


def test_no_schema_takes_no_arguments() -> None:
    assert by_schema(None).read("{}").values == {}
    assert [problem.path for problem in problems(by_schema(None), '{"a": 1}')] == ["a"]


def test_a_root_without_a_type_is_an_object() -> None:
    reader = by_schema({"properties": {"a": {"type": "integer"}}})
    assert reader.read('{"a": "1"}').values == {"a": 1}
    assert problems(reader, "[1]")[0].path == ""


def test_a_root_may_be_a_reference() -> None:
    schema = {"$ref": "#/$defs/N", "$defs": DEFINITIONS}
    assert by_schema(schema).read('{"next": {"next": null}}').values == {"next": {"next": None}}


def test_undeclared_arguments_need_leave() -> None:
    closed = by_schema({"type": "object", "properties": {"a": {}}})
    assert problems(closed, '{"a": 1, "b": 2}')[0].path == "b"
    leave = by_schema({"type": "object", "properties": {"a": {}}, "additionalProperties": True})
    assert leave.read('{"a": 1, "b": 2.5}').values == {"a": 1, "b": 2.5}
    free = by_schema({"type": "object"})
    assert free.read('{"b": 2}').values == {"b": 2}
    typed = by_schema({"type": "object", "additionalProperties": {"type": "integer"}})
    assert typed.read('{"b": "2"}').values == {"b": 2}
    assert problems(typed, '{"b": "c"}')[0].path == "b"


def test_a_default_is_neither_checked_nor_filled_in() -> None:
    reader = by_schema(
        {"type": "object", "properties": {"a": {"type": "integer", "default": "many"}, "b": {}}}
    )
    assert reader.read("{}").values == {}


def test_a_required_name_without_a_property_asks_for_nothing() -> None:
    schema = {"type": "object", "properties": {"a": {}}, "required": ["a", "ghost"]}
    assert by_schema(schema).read('{"a": 1}').values == {"a": 1}


def test_rules_beside_the_properties_hold() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    reader = by_schema(schema)
    assert reader.read('{"b": "1"}').values == {"b": 1}
    assert problems(reader, "{}")


@pytest.mark.parametrize(
    "broken", [None, 3, "text", [], {"type": 3}, {"properties": 3}, {"anyOf": 3}]
)
def test_a_broken_schema_allows_anything_there(broken: Any) -> None:
    assert by_schema(of(broken)).read('{"x": 1}').values == {"x": 1}


def test_a_hostile_pattern_takes_no_time() -> None:
    reader = by_schema(of({"type": "string", "pattern": "^(a+)+$"}))
    assert problems(reader, '{"x": "' + "a" * 50_000 + '!"}')[0].path == "x"
