"""A type becomes a JSON Schema that says all a model must know, the same bytes each time."""

import dataclasses
import datetime as dt
import enum
import json
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar, Union

import pytest
from pydantic import BaseModel, Field

from tests.schema.reading import Color, Node, Order, Pet, Point
from toolcrib.errors import ConfigurationError
from toolcrib.schema.arguments import ArgumentReader
from toolcrib.schema.marks import MARK
from toolcrib.schema.parameters import Parameter
from toolcrib.schema.types import strip_marks, tool_schema, type_schema

T = TypeVar("T")


def required(name: str, annotation: Any, **more: Any) -> Parameter:
    return Parameter(name, name, annotation, required=True, nullable=False, **more)


def shown(annotation: Any) -> Any:
    return strip_marks(type_schema(annotation).schema)


class Titled(BaseModel):
    """A book."""

    title: str = Field(title="Noise")
    year: int | None = None


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (int, {"type": "integer"}),
        (Any, {}),
        (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "maximum": 9, "minimum": 1}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (Literal["a", 1, None], {"enum": ["a", 1, None]}),
        (Literal["a"], {"type": "string", "const": "a"}),
        (Color, {"type": "string", "enum": ["red", "dark-blue"]}),
        (bytes, {"type": "string", "contentEncoding": "base64"}),
        (dt.timedelta, {"type": "string", "format": "duration"}),
        (set[int], {"type": "array", "uniqueItems": True, "items": {"type": "integer"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (dict[int, str], {"type": "object", "additionalProperties": {"type": "string"}}),
        (
            Decimal,
            {
                "anyOf": [
                    {"type": "number"},
                    {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"},
                ]
            },
        ),
        (
            Titled,
            {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "year": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
                },
                "required": ["title"],
                "description": "A book.",
            },
        ),
        (
            Point,
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "integer", "default": 0}],
                "minItems": 1,
                "maxItems": 2,
            },
        ),
    ],
)
def test_a_type_is_shown_as_json_schema(annotation: Any, schema: Any) -> None:
    assert shown(annotation) == schema


def test_a_recursive_type_refers_to_itself() -> None:
    schema = tool_schema([required("tree", Node)])
    assert schema is not None
    assert schema["properties"]["tree"] == {"$ref": "#/$defs/Node"}
    assert strip_marks(schema)["$defs"]["Node"]["properties"]["children"]["items"] == {
        "$ref": "#/$defs/Node"
    }


def test_a_tool_shows_its_parameters_in_order() -> None:
    schema = tool_schema(
        [
            required("order", Order, description="what to buy"),
            required("tree", Node, description="where to put it"),
            Parameter("n", "n", int, False, False, make_default=lambda: 3),
            Parameter("c", "c", Color, False, False, make_default=lambda: Color.RED),
            Parameter("o", "o", int | None, False, True),
        ]
    )
    assert schema is not None
    stripped = strip_marks(schema)
    assert list(stripped) == ["type", "properties", "required", "additionalProperties", "$defs"]
    assert list(stripped["properties"]) == ["order", "tree", "n", "c", "o"]
    assert stripped["required"] == ["order", "tree"]
    assert stripped["additionalProperties"] is False
    assert stripped["properties"]["order"]["description"] == "what to buy"
    assert stripped["properties"]["tree"] == {
        "$ref": "#/$defs/Node",
        "description": "where to put it",
    }
    assert stripped["properties"]["n"] == {"type": "integer", "default": 3}
    assert stripped["properties"]["c"]["default"] == "red"
    assert MARK not in json.dumps(stripped)


def test_a_tool_without_parameters_has_no_schema() -> None:
    assert tool_schema([]) is None


def test_a_default_that_differs_each_time_or_cannot_be_json_is_used_but_not_shown() -> None:
    numbers = iter(range(10))
    schema = tool_schema(
        [
            Parameter("a", "a", int, False, False, make_default=lambda: next(numbers)),
            Parameter("b", "b", Any, False, False, make_default=object),
            Parameter("c", "c", float, False, False, make_default=lambda: float("inf")),
            Parameter("d", "d", frozenset[str], False, False, make_default=lambda: frozenset("ba")),
        ]
    )
    assert schema is not None
    assert [one.get("default") for one in schema["properties"].values()] == [
        None,
        None,
        None,
        ["a", "b"],
    ]


def test_a_shown_default_is_one_that_could_be_sent() -> None:
    parameters = [
        Parameter(
            "a", "a", dt.timedelta, False, False, make_default=lambda: dt.timedelta(days=400)
        ),
        Parameter("b", "b", bytes, False, False, make_default=lambda: b"\xff\xfe"),
        Parameter("c", "c", Decimal, False, False, make_default=lambda: Decimal("1.10")),
    ]
    schema = tool_schema(parameters)
    assert schema is not None
    text = json.dumps({name: one["default"] for name, one in schema["properties"].items()})
    found = ArgumentReader("tool", None, parameters).read(text)
    assert found.values == {one.name: one.make_default() for one in parameters if one.make_default}


def two_items() -> tuple[type, type]:
    def first() -> type:
        class Item(BaseModel):
            a: int

        return Item

    def second() -> type:
        class Item(BaseModel):
            b: str

        return Item

    return first(), second()


def test_two_types_of_one_name_stay_two() -> None:
    one, two = two_items()
    schema = strip_marks(
        tool_schema([required("x", list[one]), required("y", list[two]), required("z", list[two])])  # type: ignore[valid-type]
    )
    assert [schema["properties"][name]["items"]["$ref"] for name in "xyz"] == [
        "#/$defs/Item",
        "#/$defs/Item_2",
        "#/$defs/Item_2",
    ]
    assert list(schema["$defs"]["Item"]["properties"]) == ["a"]
    assert list(schema["$defs"]["Item_2"]["properties"]) == ["b"]


def test_types_that_contain_types_of_one_name_stay_two_as_well() -> None:
    one, two = two_items()

    def box(inner: type) -> Any:
        class Box(BaseModel):
            items: list[inner]  # type: ignore[valid-type]

        return Box

    parameters = [required("x", list[box(one)]), required("y", list[box(two)])]
    schema = strip_marks(tool_schema(parameters))

    def items_of(name: str) -> list[str]:
        holder = schema["properties"][name]["items"]["$ref"].rpartition("/")[2]
        item = schema["$defs"][holder]["properties"]["items"]["items"]["$ref"].rpartition("/")[2]
        return list(schema["$defs"][item]["properties"])

    assert (items_of("x"), items_of("y")) == (["a"], ["b"])
    reader = ArgumentReader("tool", None, parameters)
    found = reader.read('{"x": [{"items": [{"a": "1"}]}], "y": [{"items": [{"b": 2}]}]}')
    assert (found.values["x"][0].items[0].a, found.values["y"][0].items[0].b) == (1, "2")


def test_types_that_python_calls_equal_are_kept_apart() -> None:
    assert shown(Union[int, str]) == {"anyOf": [{"type": "integer"}, {"type": "string"}]}  # noqa: UP007
    assert shown(Union[str, int]) == {"anyOf": [{"type": "string"}, {"type": "integer"}]}  # noqa: UP007
    assert shown(Literal[1]) == {"type": "integer", "const": 1}
    assert shown(Literal[True]) == {"type": "boolean", "const": True}
    assert shown(list[Literal[1]]) != shown(list[Literal[True]])
    assert shown(tuple[()]) != shown(tuple)


def test_a_type_is_built_once() -> None:
    assert type_schema(dict[str, list[int]]) is type_schema(dict[str, list[int]])
    annotation = Annotated[int, {"cannot": "be hashed"}]
    assert type_schema(annotation).schema == {"type": "integer"}


def test_a_definition_that_only_one_parameter_needs_comes_along() -> None:
    schema = strip_marks(tool_schema([required("x", int), required("pet", Pet)]))
    refs = {one["$ref"] for one in schema["properties"]["pet"]["oneOf"]}
    assert refs == {"#/$defs/Cat", "#/$defs/Dog"}
    assert set(schema["$defs"]) == {"Cat", "Dog"}


def test_generic_and_plain_classes_work() -> None:
    class Box(BaseModel, Generic[T]):
        value: T

    @dataclasses.dataclass
    class Plain:
        a: int
        b: list[str] = dataclasses.field(default_factory=list)

    assert shown(Box[int])["properties"]["value"] == {"type": "integer"}
    assert "description" not in shown(Plain)
    assert shown(Plain)["required"] == ["a"]


class NotJson:
    pass


@pytest.mark.parametrize("annotation", [NotJson, Callable[[int], int], "Nowhere", type])
def test_a_type_that_json_cannot_carry_is_the_programmers_error(annotation: Any) -> None:
    with pytest.raises(ConfigurationError):
        type_schema(annotation)


def test_the_schema_has_the_same_bytes_in_every_process() -> None:
    program = (
        "import json, sys; sys.path.insert(0, '.');"
        "from tests.schema.test_types import everything; print(json.dumps(everything()))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {json.dumps(everything()) + "\n"}


class Fruit(enum.StrEnum):
    APPLE = "apple"


class Pair(NamedTuple):
    left: Fruit
    right: set[str]


def everything() -> Any:
    return strip_marks(
        tool_schema(
            [
                required("order", Order, description="an order"),
                required("pet", Pet),
                required("pair", Pair),
                Parameter("s", "s", set[str], False, False, make_default=lambda: set("abcdef")),
                Parameter("n", "n", Node | Order | None, False, True),
            ]
        )
    )
