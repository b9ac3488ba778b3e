"""Defaults of every kind: filled when absent, fresh for each call, never instead of a wrong value."""

from __future__ import annotations

import enum
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel

from tests.tools.calling import call
from toolcrib.errors import ConfigurationError, ToolArgumentsError
from toolcrib.schema.parameters import Param
from toolcrib.tools.function import tool


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    x: int = 0
    tags: list[str] = []


class Outer(BaseModel):
    inner: Inner
    name: str = "n"


@dataclass
class Record:
    items: list[int] = field(default_factory=list)


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"


ID = uuid.UUID("12345678-1234-5678-1234-567812345678")

DEFAULTS: list[tuple[Any, Any]] = [
    (int, 3),
    (float, 1.5),
    (bool, True),
    (int, 2**60),
    (int | None, 4),
    (str, "x"),
    (str, ""),
    (str, "[]"),
    (uuid.UUID, ID),
    (Decimal, Decimal("1.10")),
    (Colour, Colour.BLUE),
    (Outer, Outer(inner=Inner(x=1))),
    (Cat | Dog, Dog()),
    (list[str], ["a"]),
    (set[int], {1, 2}),
    (dict[str, int], {"a": 1}),
    (list[Inner], [Inner(x=1)]),
    (dict[str, Inner], {"a": Inner(x=1)}),
    (tuple[int, ...], (1, 2)),
    (list[Any], []),
    (dict[str, Any], {}),
    (list[Colour], [Colour.RED]),
    (Record, Record([1])),
    (bytes, b"\x00\xff"),
]
each = pytest.mark.parametrize(("annotation", "default"), DEFAULTS, ids=lambda one: str(one)[:40])


def with_default(annotation: Any, default: Any) -> Any:
    def body(value):  # type: ignore[no-untyped-def]
        return value

    body.__annotations__["value"] = Annotated[annotation, Param(default=default)]
    return tool(body)


@each
def test_an_absent_argument_becomes_the_default(annotation: Any, default: Any) -> None:
    value = call(with_default(annotation, default), "{}")
    assert value == default
    assert type(value) is type(default)


@each
def test_the_schema_shows_the_parameter_as_optional(annotation: Any, default: Any) -> None:
    assert "required" not in (with_default(annotation, default).definition.input_schema or {})


@pytest.mark.parametrize(
    ("annotation", "default", "spoil"),
    [
        (list[int], [1], lambda value: value.append(2)),
        (set[int], {1}, lambda value: value.add(2)),
        (dict[str, int], {"a": 1}, lambda value: value.update(b=2)),
        (Inner, Inner(), lambda value: value.tags.append("x")),
        (Record, Record(), lambda value: value.items.append(2)),
        (list[Inner], [Inner()], lambda value: value[0].tags.append("x")),
    ],
)
def test_what_a_tool_does_to_a_default_stays_with_it(
    annotation: Any, default: Any, spoil: Any
) -> None:
    made = with_default(annotation, default)
    before = repr(default)
    spoil(call(made, "{}"))
    assert repr(call(made, "{}")) == before
    assert repr(default) == before


def test_a_wrong_value_is_an_error_not_the_default() -> None:
    with pytest.raises(ToolArgumentsError):
        with_default(int, 3).read('{"value": "many"}')


def test_a_given_value_wins_over_the_default() -> None:
    assert call(with_default(int, 3), '{"value": 5}') == 5


def test_an_explicit_null_means_the_default_unless_null_is_a_value() -> None:
    assert call(with_default(int, 3), '{"value": null}') == 3
    assert call(with_default(int | None, 3), '{"value": null}') is None


def test_absent_and_given_mix() -> None:
    def f(a: int, b: int = 2, c: str | None = None, d: bool = True) -> Any:
        return a, b, c, d

    assert call(tool(f), '{"a": 1, "d": false}') == (1, 2, None, False)


def test_a_missing_argument_without_default_is_an_error_of_any_type() -> None:
    for annotation in (int, str, list[int], Inner, dict[str, int], Colour, Any):

        def f(value): ...  # type: ignore[no-untyped-def]

        f.__annotations__["value"] = annotation
        with pytest.raises(ToolArgumentsError, match="value: missing"):
            tool(f).read("{}")


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (int, "not a number"),
        (int, 2.5),
        (bool, "perhaps"),
        (Colour, "green"),
        (uuid.UUID, "no uuid"),
        (list[int], {"a": 1}),
        (Inner, {"x": "y"}),
    ],
)
def test_a_default_of_the_wrong_type_is_refused_while_building(
    annotation: Any, default: Any
) -> None:
    with pytest.raises(ConfigurationError, match="'body', parameter 'value': the default"):
        with_default(annotation, default)


def test_the_default_is_shown_as_the_model_would_write_it() -> None:
    def shown(annotation: Any, default: Any) -> Any:
        schema = with_default(annotation, default).definition.input_schema
        return schema["properties"]["value"]["default"]

    assert shown(Colour, Colour.RED) == "red"
    assert shown(Outer, Outer(inner=Inner())) == {"inner": {"x": 0, "tags": []}, "name": "n"}
    assert shown(int | None, None) is None
