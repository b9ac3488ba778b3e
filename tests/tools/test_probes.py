"""One probe function for each thing that libraries get wrong between a function and its schema."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, Optional, Unpack

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from tests.tools.calling import call
from toolcrib.errors import ConfigurationError
from toolcrib.tools.function import tool


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int = 0


class Address(TypedDict):
    street: str
    flat: NotRequired[int]


class Node(BaseModel):
    value: int
    children: list[Node] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


def schema(function: Any) -> dict[str, Any]:
    found = tool(function).definition.input_schema
    assert found is not None
    return dict(found)


def first(function: Any) -> dict[str, Any]:
    return dict(next(iter(schema(function)["properties"].values())))


def test_google_docstring() -> None:
    def probe(city: str) -> None:
        """Look.

        Args:
            city: the place
        """

    assert first(probe)["description"] == "the place"


def test_numpy_docstring() -> None:
    def probe(city: str) -> None:
        """Look.

        Parameters
        ----------
        city : str
            the place
        """

    assert first(probe)["description"] == "the place"
    assert tool(probe).definition.description == "Look."


def test_sphinx_docstring() -> None:
    def probe(city: str) -> None:
        """Look.

        :param city: the place
        """

    assert first(probe)["description"] == "the place"
    assert tool(probe).definition.description == "Look."


def test_the_block_of_parameters_leaves_the_description() -> None:
    def probe(city: str) -> None:
        """Look.

        Args:
            city: the place

        Slow in winter.
        """

    assert tool(probe).definition.description == "Look.\n\nSlow in winter."


def test_description_by_field() -> None:
    def probe(city: Annotated[str, Field(description="the place")]) -> None: ...

    assert first(probe) == {"type": "string", "description": "the place"}


def test_constraint_by_field() -> None:
    def probe(cities: Annotated[list[str], Field(max_length=3)]) -> None: ...

    assert first(probe)["maxItems"] == 3


def test_description_by_text() -> None:
    def probe(city: Annotated[str, "the place"]) -> None: ...

    assert first(probe)["description"] == "the place"


def test_literal_and_enum() -> None:
    def probe(unit: Literal["C", "F"]) -> None: ...

    def probe_enum(colour: Colour) -> Colour:
        return colour

    assert first(probe)["enum"] == ["C", "F"]
    assert "red" in str(schema(probe_enum))
    assert call(tool(probe_enum), '{"colour": "red"}') is Colour.RED


def test_dataclass() -> None:
    def probe(point: Point) -> Point:
        return point

    assert set(first(probe)["properties"]) == {"x", "y"}
    assert call(tool(probe), '{"point": {"x": 1}}') == Point(1)


def test_typed_dict() -> None:
    def probe(address: Address) -> Address:
        return address

    assert first(probe)["required"] == ["street"]
    assert call(tool(probe), '{"address": {"street": "a"}}') == {"street": "a"}


def test_recursive_model() -> None:
    def probe(node: Node) -> Node:
        return node

    assert first(probe)["$ref"] == "#/$defs/Node"
    assert schema(probe)["$defs"]["Node"]["properties"]["children"]["items"] == {
        "$ref": "#/$defs/Node"
    }
    text = '{"node": {"value": 1, "children": [{"value": 2}]}}'
    assert call(tool(probe), text).children[0].value == 2


def test_union_and_discriminated_union() -> None:
    def probe(pet: Annotated[Cat | Dog, Field(discriminator="kind")], size: int | str) -> Any:
        return pet, size

    found = schema(probe)["properties"]
    assert "oneOf" in found["pet"] or "anyOf" in found["pet"]
    assert [one["type"] for one in found["size"]["anyOf"]] == ["integer", "string"]
    text = '{"pet": {"kind": "dog", "tricks": []}, "size": "big"}'
    assert call(tool(probe), text) == (Dog(kind="dog", tricks=[]), "big")


def test_optional_keeps_null() -> None:
    def probe(a: Optional[int]) -> Any:  # noqa: UP045
        return a

    assert "null" in str(first(probe))
    assert "required" not in schema(probe)
    assert call(tool(probe), "{}") is None
    assert call(tool(probe), '{"a": null}') is None


def test_value_type_of_a_dict() -> None:
    def probe(a: dict[str, int]) -> None: ...

    assert first(probe)["additionalProperties"] == {"type": "integer"}


def test_format_of_a_date() -> None:
    def probe(day: date) -> date:
        return day

    assert first(probe)["format"] == "date"
    assert call(tool(probe), '{"day": "2026-01-02"}') == date(2026, 1, 2)


def test_default_in_the_schema() -> None:
    def probe(days: int = 3) -> None: ...

    assert first(probe)["default"] == 3


def test_what_has_a_default_is_not_required() -> None:
    def probe(city: str, days: int = 3) -> None: ...

    assert schema(probe)["required"] == ["city"]


def test_further_properties_are_excluded() -> None:
    def probe(city: str) -> None: ...

    assert schema(probe)["additionalProperties"] is False


def test_no_titles() -> None:
    def probe(node: Node, point: Point, colour: Colour, a: int) -> None: ...

    assert "title" not in str(schema(probe))


def test_a_lone_model_is_one_parameter() -> None:
    def probe(node: Node) -> Node:
        return node

    assert list(schema(probe)["properties"]) == ["node"]


def test_postponed_annotations() -> None:
    class Local(BaseModel):
        a: int

    def probe(local: Local, more: list[Local] | None = None) -> Any:
        return local

    assert call(tool(probe), '{"local": {"a": 1}}') == Local(a=1)


def test_untyped_keywords_are_refused_naming_the_parameter() -> None:
    def probe(a: int, **extras: str) -> None: ...

    with pytest.raises(ConfigurationError, match=r"'probe', parameter '\*\*extras'"):
        tool(probe)


def test_typed_keywords_are_written_out() -> None:
    def probe(a: int, **extras: Unpack[Address]) -> Any:
        return a, extras

    assert list(schema(probe)["properties"]) == ["a", "street", "flat"]
    assert schema(probe)["required"] == ["a", "street"]
    text = '{"a": 1, "street": "x"}'
    assert call(tool(probe), text) == (1, {"street": "x"})


def test_arbitrary_positional_arguments_are_refused_naming_the_parameter() -> None:
    def probe(*numbers: int) -> None: ...

    with pytest.raises(ConfigurationError, match=r"'probe', parameter '\*numbers'"):
        tool(probe)


def test_parameters_named_like_parts_of_a_model() -> None:
    def probe(model_config: int, model_fields: int, copy: int, __class__: int) -> Any:
        return model_config, model_fields, copy

    assert list(schema(probe)["properties"])[:3] == ["model_config", "model_fields", "copy"]
    text = '{"model_config": 1, "model_fields": 2, "copy": 3, "__class__": 4}'
    assert call(tool(probe), text) == (1, 2, 3)


def test_a_parameter_with_an_underscore() -> None:
    def probe(_hidden: int) -> int:
        return _hidden

    assert call(tool(probe), '{"_hidden": 1}') == 1


def test_a_bound_method() -> None:
    class Holder:
        def probe(self, a: int) -> int:
            return a

    assert list(schema(Holder().probe)["properties"]) == ["a"]
    assert call(tool(Holder().probe), '{"a": 1}') == 1


def test_a_callable_object() -> None:
    class Probe:
        def __call__(self, a: int) -> int:
            return a

    assert call(tool(Probe()), '{"a": 1}') == 1


def test_a_partial() -> None:
    def probe(a: int, b: int) -> tuple[int, int]:
        return a, b

    made = tool(functools.partial(probe, b=2))
    assert list((made.definition.input_schema or {})["properties"]) == ["a"]
    assert call(made, '{"a": 1}') == (1, 2)
