"""Type names of other languages become those of JSON Schema."""

import pytest

from tests.schema.reading import by_schema, problems
from toolcrib.schema.foreign import FOREIGN_TYPES, with_json_types


@pytest.mark.parametrize(
    ("foreign", "text", "value"),
    [
        ("dict", '{"a": 1}', {"a": 1}),
        ("float", "1.5", 1.5),
        ("tuple", "[1]", [1]),
        ("any", "null", None),
        ("", "[1]", [1]),
        ("String", '"a"', "a"),
        ("Boolean", "true", True),
        ("ArrayList", "[]", []),
        ("HashMap", "{}", {}),
        ("long", "3", 3),
        ("char", '"a"', "a"),
    ],
)
def test_a_foreign_type_is_read_as_its_json_type(foreign: str, text: str, value: object) -> None:
    schema = {"type": "dict", "properties": {"x": {"type": foreign}}, "required": ["x"]}
    assert by_schema(with_json_types(schema)).read(f'{{"x": {text}}}').values == {"x": value}


def test_types_are_converted_at_every_depth_and_nothing_else_is() -> None:
    schema = {
        "type": "dict",
        "properties": {
            "type": {"type": "float", "default": "dict", "enum": ["float"]},
            "list": {
                "type": "tuple",
                "items": {"type": "dict", "properties": {"a": {"type": "any"}}},
            },
        },
    }
    assert with_json_types(schema) == {
        "type": "object",
        "properties": {
            "type": {"type": "number", "default": "dict", "enum": ["float"]},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a": {}}}},
        },
    }


def test_a_name_that_nobody_knows_allows_anything() -> None:
    schema = with_json_types({"type": "object", "properties": {"x": {"type": "Flux"}}})
    assert by_schema(schema).read('{"x": [1]}').values == {"x": [1]}


@pytest.mark.parametrize("name", [name for name, kind in FOREIGN_TYPES.items() if kind is not None])
def test_a_wrong_value_of_a_foreign_type_is_refused(name: str) -> None:
    schema = with_json_types(
        {"type": "object", "properties": {"x": {"type": name}}, "required": ["x"]}
    )
    wrong = '"many"' if FOREIGN_TYPES[name] != "string" else "{}"
    if FOREIGN_TYPES[name] == "array":
        wrong = '"many, more"'
    assert [one.path for one in problems(by_schema(schema), f'{{"x": {wrong}}}')] == ["x"]
