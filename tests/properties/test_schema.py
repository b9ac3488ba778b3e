"""What the shown schema accepts is read, and what is read without repairs the schema accepts.

Where they differ on purpose, and so what is not drawn here: formats (the reader checks what the
schema only names), integral floats and exponents (JSON Schema calls 2.0 an integer, the reader notes
it), halves of surrogate pairs, keys of mappings that are not text, and users' own validators.
"""

import datetime as dt
import json
from typing import Annotated, Any, Literal, Union

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import to_json

from tests.effort import examples
from tests.schema.reading import (
    Cat,
    Color,
    Dog,
    Item,
    Level,
    Movie,
    Node,
    Order,
    Pet,
    Point,
    Sealed,
)
from toolcrib.errors import ToolArgumentsError
from toolcrib.schema.arguments import ArgumentReader, ReadArguments
from toolcrib.schema.parameters import Parameter
from toolcrib.schema.types import strip_marks, tool_schema

Draft202012Validator = pytest.importorskip("jsonschema").Draft202012Validator

relaxed = settings(
    max_examples=examples(150), deadline=None, suppress_health_check=list(HealthCheck)
)

# ---- values ------------------------------------------------------------------------------------

numbers = st.integers(-5, 5) | st.integers() | st.sampled_from([0.5, -1.25, 1234567.5, 2.5])
words = st.sampled_from(
    ["", "a", "A", "red", "RED", "5", "-1.5", "true", "null", "[1]", "{}", "a, b"]
)
scalars = st.none() | st.booleans() | numbers | words | st.text(max_size=5)
keys = st.sampled_from(["a", "b", "sku", "qty", "kind", "value", "title"]) | st.text(max_size=3)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)

# ---- types, and values that their shown schema accepts -------------------------------------------

leaves: list[Any] = [
    int,
    float,
    bool,
    str,
    Any,
    Color,
    Level,
    Literal["a", "b"],
    Literal[1, "1", None],
    Annotated[int, Field(ge=0, lt=10)],
    Annotated[str, Field(min_length=1, max_length=3)],
    Item,
    Order,
    Sealed,
    Movie,
    Point,
    Node,
    Pet,
    Cat | Dog,
]


def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        inner.map(lambda one: list[one]),
        inner.map(lambda one: dict[str, one]),
        inner.map(lambda one: tuple[one, ...]),
        inner.map(lambda one: one | None if one is not Any else Any),
        inner.map(lambda one: Annotated[list[one], Field(min_length=1, max_length=2)]),
        st.tuples(inner, inner).map(lambda two: tuple[two[0], two[1]]),
        st.tuples(inner, inner).map(lambda two: Union[two[0], two[1]]),  # noqa: UP007
    )


types = st.recursive(st.sampled_from(leaves), composed, max_leaves=3)


def accepted(schema: Any, root: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that a schema as we show it accepts."""
    if "$ref" in schema:
        target = root["$defs"][schema["$ref"].rpartition("/")[2]]
        return st.deferred(lambda: accepted(target, root, depth + 1))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return st.one_of(*(accepted(one, root, depth) for one in schema[key]))
    match schema.get("type"):
        case "integer":
            low, high = schema.get("minimum"), schema.get("exclusiveMaximum")
            return st.integers(low, None if high is None else high - 1)
        case "number":
            return st.integers(-(10**15), 10**15) | st.sampled_from([0.5, -1.25])
        case "string":
            low, high = schema.get("minLength", 0), schema.get("maxLength", 8)
            return st.text(min_size=low, max_size=high) | words.filter(
                lambda w: low <= len(w) <= high
            )
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            return accepted_list(schema, root, depth)
        case "object":
            return accepted_object(schema, root, depth)
    return json_values


def accepted_list(schema: Any, root: Any, depth: int) -> st.SearchStrategy[Any]:
    low, high = schema.get("minItems", 0), schema.get("maxItems", 3 if depth < 3 else 0)
    if "prefixItems" in schema:
        fixed = st.tuples(*(accepted(one, root, depth) for one in schema["prefixItems"]))
        return fixed.map(list)
    return st.lists(
        accepted(schema.get("items", {}), root, depth), min_size=low, max_size=max(low, high)
    )


def accepted_object(schema: Any, root: Any, depth: int) -> st.SearchStrategy[Any]:
    if "properties" not in schema:
        rest = schema.get("additionalProperties", True)
        inner = json_values if rest is True else accepted(rest, root, depth)
        return st.dictionaries(st.text(max_size=3), inner, max_size=2)
    needed = schema.get("required", [])
    fields = {name: accepted(one, root, depth) for name, one in schema["properties"].items()}
    return st.fixed_dictionaries(
        {name: one for name, one in fields.items() if name in needed},
        optional={name: one for name, one in fields.items() if name not in needed},
    )


def tool_of(annotation: Any) -> tuple[ArgumentReader, Any]:
    parameters = [Parameter("x", "x", annotation, required=True, nullable=False)]
    return ArgumentReader("tool", None, parameters), strip_marks(tool_schema(parameters))


def read(reader: ArgumentReader, arguments: Any) -> ReadArguments | None:
    try:
        return reader.read(json.dumps(arguments))
    except ToolArgumentsError as error:
        told = str(error)
    assert len(told) < 20_000
    return None


@relaxed
@given(st.data(), types)
def test_what_the_shown_schema_accepts_is_read(data: st.DataObject, annotation: Any) -> None:
    reader, schema = tool_of(annotation)
    arguments = {"x": data.draw(accepted(schema["properties"]["x"], schema))}
    assert Draft202012Validator(schema).is_valid(arguments)
    assert read(reader, arguments) is not None


@relaxed
@given(st.data(), types)
def test_what_is_read_without_repairs_the_shown_schema_accepts(
    data: st.DataObject, annotation: Any
) -> None:
    reader, schema = tool_of(annotation)
    value = data.draw(json_values | accepted(schema["properties"]["x"], schema))
    found = read(reader, {"x": value})
    if found is not None and not found.repairs:
        assert Draft202012Validator(schema).is_valid({"x": value})


@relaxed
@given(st.data(), types)
def test_what_needs_no_repair_is_read_as_pydantic_reads_it(
    data: st.DataObject, annotation: Any
) -> None:
    reader, schema = tool_of(annotation)
    value = data.draw(accepted(schema["properties"]["x"], schema))
    found = read(reader, {"x": value})
    try:
        theirs = TypeAdapter(annotation).validate_json(json.dumps(value), strict=True)
    except ValidationError:
        return
    if found is not None and not found.repairs:
        assert found.values["x"] == theirs
        assert repr(found.values["x"]) == repr(theirs)


# ---- schemas by hand -----------------------------------------------------------------------------

small = st.integers(0, 3)
plain_nodes = st.one_of(
    st.just({}),
    st.booleans(),
    st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(lambda t: {"type": t}),
    st.just({"type": ["integer", "null"]}),
    st.lists(scalars, min_size=1, max_size=3).map(lambda values: {"enum": values}),
    scalars.map(lambda value: {"const": value}),
    st.builds(
        lambda low, high: {"type": "number", "minimum": low, "exclusiveMaximum": high}, small, small
    ),
    st.builds(lambda low, high: {"minLength": low, "maxLength": high}, small, small),
    st.sampled_from(["^a", "[0-9]", "^$"]).map(lambda p: {"type": "string", "pattern": p}),
    small.map(lambda step: {"type": "integer", "multipleOf": step + 1}),
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(lambda one, low: {"type": "array", "items": one, "minItems": low}, inner, small),
        st.builds(lambda a, b: {"type": "array", "prefixItems": [a], "items": b}, inner, inner),
        st.builds(
            lambda a, b, closed, needed: {
                "type": "object",
                "properties": {"a": a, "b": b},
                "required": ["a"] if needed else [],
                **({"additionalProperties": False} if closed else {}),
            },
            inner,
            inner,
            st.booleans(),
            st.booleans(),
        ),
        inner.map(lambda one: {"type": "object", "additionalProperties": one}),
        inner.map(lambda one: {"properties": {"a": one}, "maxProperties": 2}),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: {"anyOf": some}),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: {"oneOf": some}),
        st.lists(inner, min_size=1, max_size=2).map(lambda some: {"allOf": some}),
        inner.map(lambda one: {"not": one}),
    )


nodes = st.recursive(plain_nodes, nested, max_leaves=4)


@settings(relaxed, max_examples=examples(400))
@given(nodes, json_values)
def test_a_schema_by_hand_means_what_json_schema_says(node: Any, value: Any) -> None:
    schema = {"type": "object", "properties": {"x": node}, "required": ["x"]}
    found = read(ArgumentReader("tool", schema), {"x": value})
    valid = Draft202012Validator(schema).is_valid({"x": value})
    if valid:
        assert found is not None
        assert found.values == {"x": value}
        assert found.repairs == ()
    elif found is not None:
        assert found.repairs


@relaxed
@given(nodes, json_values)
def test_what_a_repair_gives_the_schema_accepts(node: Any, value: Any) -> None:
    schema = {"type": "object", "properties": {"x": node}, "required": ["x"]}
    found = read(ArgumentReader("tool", schema), {"x": value})
    if found is not None:
        assert Draft202012Validator(schema).is_valid(found.values)
        assert read(ArgumentReader("tool", schema), found.values) is not None


@relaxed
@given(st.text(max_size=30) | json_values.map(json.dumps), types)
def test_no_text_whatever_brings_the_reader_down(text: str, annotation: Any) -> None:
    reader, _ = tool_of(annotation)
    try:
        reader.read(text)
    except ToolArgumentsError as error:
        str(error).encode()


# pydantic writes 365 days as a year, and a year has no fixed length.
short_spans = st.timedeltas(dt.timedelta(days=-364), dt.timedelta(days=364))


@relaxed
@given(st.dates(), st.datetimes(timezones=st.none() | st.just(dt.UTC)), short_spans, st.binary())
def test_what_python_writes_for_its_own_types_is_read_back(
    day: dt.date, moment: dt.datetime, span: dt.timedelta, data: bytes
) -> None:
    values = {"a": day, "b": moment, "c": moment.timetz(), "d": span, "e": data}
    parameters = [Parameter(name, name, type(one), True, False) for name, one in values.items()]
    text = to_json(values, bytes_mode="base64").decode()
    assert ArgumentReader("tool", None, parameters).read(text).values == values
