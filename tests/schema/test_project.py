"""Schemas as providers take them, and the report of what was changed."""

from __future__ import annotations

import copy
import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from tests import cases
from toolcrib.schema.project import for_chat_completions, strict_projection

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def obj(properties: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties or {}, **more}


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """What strict mode wants of an object."""
    return obj(properties, required=list(properties), additionalProperties=False)


def strictly(value: dict[str, Any], **more: Any) -> Any:
    """The strict form of a required property."""
    projection = strict_projection(obj({"x": value}, required=["x"], **more))
    assert projection.refused == ()
    return projection.schema["properties"]["x"]


# --- for every request


@pytest.mark.parametrize(
    "schema",
    [
        obj({"x": {"type": ["string", "null"], "default": None, "minLength": 1}}),
        obj({"x": {"oneOf": [TEXT, NUMBER]}}, additionalProperties=True),
        obj({"x": {"$ref": "#/$defs/X"}}, **{"$defs": {"X": {"allOf": [TEXT, {"const": "a"}]}}}),
        obj({"x": {"type": "array", "items": {}}, "y": {}, "z": True}, required=["missing"]),
    ],
)
def test_a_schema_that_is_taken_stays_verbatim(schema: dict[str, Any]) -> None:
    before = copy.deepcopy(schema)
    projection = for_chat_completions(schema)
    assert (projection.schema, projection.notes, projection.refused) == (before, (), ())
    assert schema == before


def test_a_root_without_type_is_an_object() -> None:
    assert for_chat_completions({}).schema == obj()


def test_a_reference_at_the_root_is_replaced_by_what_it_means() -> None:
    node = obj({"next": {"$ref": "#/$defs/Node"}})
    projection = for_chat_completions({"$ref": "#/$defs/Node", "$defs": {"Node": node}})
    assert projection.schema == {**node, "$defs": {"Node": node}}
    assert projection.notes == ("root: the reference #/$defs/Node was replaced by what it means",)


@pytest.mark.parametrize("ref", ["#", "#/$defs/Gone", "https://example.com/schema", "#/$defs/Me"])
def test_a_reference_at_the_root_that_leads_nowhere_is_left_out(ref: str) -> None:
    schema = {"$ref": ref, "properties": {"x": TEXT}, "$defs": {"Me": {"$ref": "#/$defs/Me"}}}
    assert for_chat_completions(schema).schema["properties"] == {"x": TEXT}


@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
def test_a_choice_at_the_root_becomes_one_object(key: str) -> None:
    projection = for_chat_completions(
        {
            key: [
                obj({"a": TEXT, "kind": {"const": 1}}, required=["a", "kind"]),
                {"$ref": "#/$defs/B"},
            ],
            "$defs": {"B": obj({"b": NUMBER, "kind": {"const": 2}}, required=["kind"])},
        }
    )
    assert projection.schema == obj(
        {"a": TEXT, "kind": {"anyOf": [{"const": 1}, {"const": 2}]}, "b": NUMBER},
        required=["kind"],
    )
    assert projection.notes[0] == f"root: {key} became one object that allows what it does"


def test_all_of_at_the_root_requires_what_any_part_requires() -> None:
    parts = [
        obj({"a": TEXT}, required=["a"]),
        obj({"a": {"minLength": 1}, "b": TEXT}, required=["b"]),
    ]
    assert for_chat_completions({"allOf": parts}).schema == obj(
        {"a": {"allOf": [TEXT, {"minLength": 1}]}, "b": TEXT}, required=["a", "b"]
    )


def test_an_array_that_does_not_name_its_items_gets_them() -> None:
    schema = obj({"x": {"type": "array"}, "y": {"type": ["array", "null"], "prefixItems": [TEXT]}})
    projection = for_chat_completions(schema)
    assert projection.schema["properties"] == {
        "x": {"type": "array", "items": {}},
        "y": {"type": ["array", "null"], "prefixItems": [TEXT], "items": {"anyOf": [TEXT]}},
    }
    assert len(projection.notes) == 2


def test_a_property_named_as_a_keyword_is_no_keyword() -> None:
    schema = obj({"items": TEXT, "anyOf": NUMBER, "$ref": TEXT, "type": TEXT}, required=["items"])
    assert for_chat_completions(schema).schema == schema
    assert strict_projection({**schema, "required": list(schema["properties"])}).schema == closed(
        schema["properties"]
    )


def test_definitions_that_nobody_refers_to_are_left_out() -> None:
    defs = {
        "A": obj({"b": {"$ref": "#/$defs/B~1x"}}),
        "B/x": TEXT,
        "C": obj({"c": {"$ref": "#/$defs/C"}}),
    }
    projection = for_chat_completions(obj({"a": {"$ref": "#/$defs/A"}}, **{"$defs": defs}))
    assert set(projection.schema["$defs"]) == {"A", "B/x"}
    assert projection.notes == ("#/$defs/C: unused, left out",)


def test_definitions_stay_as_long_as_a_nested_reference_needs_them() -> None:
    schema = obj({"a": {"anyOf": [{"$ref": "#/definitions/B"}]}}, definitions={"B": TEXT})
    assert for_chat_completions(schema).schema == schema


# --- strict mode


def test_optional_becomes_nullable_and_everything_required() -> None:
    projection = strict_projection(obj({"a": TEXT, "b": NUMBER}, required=["a", "gone"]))
    assert projection.schema == closed({"a": TEXT, "b": {"type": ["integer", "null"]}})
    assert "/b: optional, so null is allowed" in projection.notes


@pytest.mark.parametrize(
    ("optional", "nullable"),
    [
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": ["string", "integer"]}, {"type": ["string", "integer", "null"]}),
        ({"enum": ["a", None]}, {"enum": ["a", None], "type": ["string", "null"]}),
        ({"const": None}, {"const": None, "type": "null"}),
        ({"anyOf": [TEXT, {"type": "null"}]}, {"anyOf": [TEXT, {"type": "null"}]}),
        ({"anyOf": [TEXT, NUMBER]}, {"anyOf": [TEXT, NUMBER, {"type": "null"}]}),
        (
            {"type": "string", "enum": ["a"], "description": "d"},
            {
                "anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}],
                "description": "d",
            },
        ),
    ],
)
def test_null_is_allowed_once(optional: dict[str, Any], nullable: dict[str, Any]) -> None:
    projection = strict_projection(obj({"x": optional}))
    assert projection.schema["properties"]["x"] == nullable
    assert projection.refused == ()


def test_nullable_of_openapi_is_understood() -> None:
    assert strictly({"type": "string", "nullable": True}) == {"type": ["string", "null"]}


def test_objects_are_closed_at_every_depth() -> None:
    inner = obj({"y": TEXT}, required=["y"])
    assert strictly({"type": "array", "items": inner}) == {
        "type": "array",
        "items": closed({"y": TEXT}),
    }
    assert strictly({"anyOf": [inner, TEXT]}) == {"anyOf": [closed({"y": TEXT}), TEXT]}


def test_keywords_that_are_not_enforced_are_left_out_and_reported() -> None:
    value = {"type": "string", "minLength": 1, "format": "uri", "pattern": "^a", "default": "a"}
    projection = strict_projection(obj({"x": value}, required=["x"]))
    assert projection.schema["properties"]["x"] == {"type": "string", "pattern": "^a"}
    assert projection.notes[1:] == ("/x: minLength is not enforced", "/x: format is not enforced")


def test_a_format_that_is_known_stays() -> None:
    assert strictly({"type": "string", "format": "date"}) == {"type": "string", "format": "date"}


def test_one_of_becomes_any_of() -> None:
    value = {"oneOf": [TEXT, NUMBER], "discriminator": {"propertyName": "kind"}}
    assert strictly(value) == {"anyOf": [TEXT, NUMBER]}


def test_all_of_one_schema_is_that_schema() -> None:
    assert strictly({"allOf": [TEXT], "description": "d"}) == {**TEXT, "description": "d"}


def test_listed_values_get_their_type() -> None:
    assert strictly({"enum": ["a", 1]}) == {"enum": ["a", 1], "type": ["string", "integer"]}
    assert strictly({"const": True}) == {"const": True, "type": "boolean"}


def test_a_choice_of_what_is_required_is_not_enforced() -> None:
    schema = obj({"a": TEXT, "b": TEXT}, anyOf=[{"required": ["a"]}, {"required": ["b"]}])
    assert strict_projection(schema).refused == ()
    assert strictly({**schema, "required": ["a", "b"]}) == closed({"a": TEXT, "b": TEXT})


def test_a_tuple_is_an_array_of_its_kinds() -> None:
    value = {"type": "array", "prefixItems": [NUMBER, TEXT, TEXT], "minItems": 3, "items": False}
    assert strictly(value) == {
        "type": "array",
        "items": {"anyOf": [NUMBER, TEXT]},
        "minItems": 3,
        "maxItems": 3,
    }


def test_a_recursive_reference_with_a_description_keeps_both() -> None:
    class Node(BaseModel):
        value: int
        next: Annotated[Node, Field(description="The next one")] | None

    schema = {**Node.model_json_schema()}
    described = {"$ref": "#/$defs/Node", "description": "Where to begin"}
    schema = obj({"x": described}, required=["x"], **{"$defs": schema["$defs"]})
    projection = strict_projection(schema)
    assert projection.refused == ()
    assert projection.schema["properties"]["x"] == {
        "anyOf": [{"$ref": "#/$defs/Node"}],
        "description": "Where to begin",
    }
    node = projection.schema["$defs"]["Node"]
    assert node["additionalProperties"] is False
    assert {"type": "null"} in node["properties"]["next"]["anyOf"]


def test_a_nullable_enumeration_keeps_both() -> None:
    class Order(BaseModel):
        size: Literal["s", "m"] | None = None

    assert strict_projection(Order.model_json_schema()).schema["properties"]["size"]["anyOf"] == [
        {"enum": ["s", "m"], "type": "string"},
        {"type": "null"},
    ]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"type": "object"}, "an open dictionary (additionalProperties)"),
        ({"type": "object", "additionalProperties": TEXT}, "an open dictionary (additional"),
        (obj({"y": TEXT}, additionalProperties=True), "an open dictionary (additional"),
        (obj(patternProperties={"^x": TEXT}), "an open dictionary (patternProperties)"),
        ({}, "any value is allowed"),
        (True, "any value is allowed"),
        ({"description": "whatever"}, "any value is allowed"),
        (False, "no value is allowed"),
        ({"type": "array"}, "an array of anything"),
        ({"allOf": [TEXT, {"minLength": 1}]}, "several schemas at once (allOf)"),
        ({"enum": [["a"]]}, "any value is allowed"),
    ],
)
def test_what_cannot_be_strict_is_refused_with_its_place(value: Any, reason: str) -> None:
    refused = strict_projection(obj({"x": value}, required=["x"])).refused
    assert len(refused) == 1
    assert refused[0].startswith(f"/x: {reason}")


def test_every_refusal_is_reported_at_once() -> None:
    assert len(strict_projection(obj({"a": {}, "b": {"type": "object"}, "c": {}})).refused) == 3


def test_a_choice_at_the_root_cannot_be_strict() -> None:
    schema = {"anyOf": [obj({"a": TEXT}), obj({"b": TEXT})]}
    assert strict_projection(schema).refused == ("root: a choice (anyOf)",)


def test_an_open_root_cannot_be_strict() -> None:
    assert strict_projection(obj({"a": TEXT}, additionalProperties=True)).refused


def test_an_empty_root_is_a_closed_object() -> None:
    assert strict_projection({}).schema == closed({})


def test_the_schema_that_came_is_never_changed() -> None:
    schema = obj({"x": {"oneOf": [obj({"y": TEXT})]}}, **{"$defs": {"Z": obj({"z": TEXT})}})
    before = copy.deepcopy(schema)
    strict_projection(schema)
    for_chat_completions(schema)
    assert schema == before


REAL = [
    {"id": f"{path.stem}/{tool['name']}", "schema": tool["inputSchema"]}
    for path in cases.files("mcp-servers/*.json")
    for tool in json.loads(path.read_text(encoding="utf-8"))["tools"]
]


@pytest.mark.parametrize("case", cases.params(REAL))
def test_a_real_schema_becomes_what_strict_mode_takes_or_is_refused(case: dict[str, Any]) -> None:
    lax = for_chat_completions(case["schema"]).schema
    assert lax["type"] == "object"
    assert not lax.keys() & {"anyOf", "oneOf", "allOf", "not", "enum", "$ref"}
    projection = strict_projection(case["schema"])
    if not projection.refused:
        assert_strict(projection.schema)


def assert_strict(schema: Any) -> None:
    assert not schema.keys() & {"oneOf", "allOf", "default", "minLength", "patternProperties"}
    if "$ref" in schema:
        assert set(schema) == {"$ref"}
        return
    if "anyOf" in schema:
        for option in schema["anyOf"]:
            assert_strict(option)
        return
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if "object" in kinds:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        for inner in schema["properties"].values():
            assert_strict(inner)
    if "array" in kinds:
        assert_strict(schema["items"])
    for inner in schema.get("$defs", {}).values():
        assert_strict(inner)


# --- types of other languages


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("dict", "object"),
        ("float", "number"),
        ("String", "string"),
        (["str", "null"], ["string", "null"]),
        (["int", "integer"], "integer"),
    ],
)
def test_a_type_of_another_language_becomes_the_one_of_json_wherever_it_stands(
    named: Any, meant: Any
) -> None:
    item = obj({"y": {"type": named}})
    inner = {"type": "array", "items": item}
    schema = obj({"x": inner})
    projection = for_chat_completions(schema)
    assert projection.schema["properties"]["x"]["items"]["properties"]["y"] == {"type": meant}
    (note,) = projection.notes
    assert note == f"/properties/x/items/properties/y: type {named!r} became {meant!r}"
    assert item["properties"]["y"] == {"type": named}


@pytest.mark.parametrize("named", ["any", "", "Customer", None, 3, [], ["string", "Customer"]])
def test_a_type_that_means_nothing_is_left_out_and_strict_mode_refuses_it(named: Any) -> None:
    schema = obj({"x": {"type": named, "description": "what"}})
    assert for_chat_completions(schema).schema["properties"]["x"] == {"description": "what"}
    assert strict_projection(schema).refused == ("/x: any value is allowed",)


def test_strict_mode_closes_what_another_language_calls_an_object() -> None:
    got = strictly({"type": "Dict", "properties": {"a": {"type": "long"}}, "required": ["a"]})
    assert got == closed({"a": NUMBER})


def test_data_that_looks_like_a_schema_is_not_touched() -> None:
    schema = obj({"type": {"type": "object", "properties": {}, "default": {"type": "dict"}}})
    assert for_chat_completions(schema).schema == schema
