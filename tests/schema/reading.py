"""Readers of argument text for tests, made from a written signature or a JSON Schema."""

import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Optional, Union

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    FilePath,
    PastDate,
    StringConstraints,
)
from typing_extensions import TypedDict

from toolcrib.errors import Problem, ToolArgumentsError
from toolcrib.schema.arguments import ArgumentReader, ReadArguments
from toolcrib.schema.signature import read_signature


class Color(enum.Enum):
    RED = "red"
    DARK_BLUE = "dark-blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Twins(enum.Enum):
    LOWER = "a"
    UPPER = "A"


class Item(BaseModel):
    sku: str
    qty: Annotated[int, Field(ge=1)]


class Order(BaseModel):
    items: list[Item]
    note: str | None = None


class Sealed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    code: str


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    order_id: Annotated[int, Field(alias="orderId")]


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Point(NamedTuple):
    x: int
    y: int = 0


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    bark: bool = True


class Node(BaseModel):
    value: int
    children: list["Node"] = []


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]

TYPES: dict[str, Any] = {
    **{
        kind.__name__: kind
        for kind in (
            Color,
            Level,
            Twins,
            Item,
            Order,
            Sealed,
            Aliased,
            Movie,
            Point,
            Cat,
            Dog,
            Node,
        )
    },
    "Pet": Pet,
    "Any": Any,
    "Annotated": Annotated,
    "Literal": Literal,
    "Optional": Optional,
    "Union": Union,
    "Field": Field,
    "Iterable": Iterable,
    "AwareDatetime": AwareDatetime,
    "FilePath": FilePath,
    "IPv4Address": IPv4Address,
    "PastDate": PastDate,
    "StringConstraints": StringConstraints,
    "Path": Path,
    "Decimal": decimal.Decimal,
    "UUID": uuid.UUID,
    "date": dt.date,
    "datetime": dt.datetime,
    "time": dt.time,
    "timedelta": dt.timedelta,
}


def reader_of(signature: str, types: Mapping[str, Any] = TYPES, **options: Any) -> ArgumentReader:
    """The reader of a function with this parameter list."""
    space = dict(types)
    exec(f"def tool({signature}): ...", space)
    found = read_signature(space["tool"], tool="tool", injected={})
    return ArgumentReader("tool", None, found.parameters, **options)


def read(signature: str, text: str, **options: Any) -> ReadArguments:
    """What a text means for a function with this parameter list."""
    return reader_of(signature, **options).read(text)


def value(annotation: str, text: str) -> Any:
    """What the JSON text of one value means for one type."""
    return read(f"x: {annotation}", f'{{"x": {text}}}').values["x"]


def problems(reader: ArgumentReader, text: str) -> tuple[Problem, ...]:
    """Why a text is refused; fails when it is not."""
    try:
        accepted = reader.read(text)
    except ToolArgumentsError as error:
        return error.problems
    raise AssertionError(f"{text!r:.200} was accepted: {accepted!r:.200}")


def refusal(signature: str, text: str, **options: Any) -> tuple[Problem, ...]:
    """Why a text is refused for a function with this parameter list."""
    return problems(reader_of(signature, **options), text)


def by_schema(schema: Mapping[str, Any] | None, **options: Any) -> ArgumentReader:
    """The reader of a hand-written schema."""
    return ArgumentReader("tool", schema, **options)
