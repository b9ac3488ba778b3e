"""Values that mean exactly one thing are read; whatever would be lost, guessed or cut is refused."""

import base64
import datetime as dt
import enum
import json
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict
from pydantic_core import core_schema

from tests.schema.reading import (
    TYPES,
    Aliased,
    Cat,
    Color,
    Dog,
    Item,
    Level,
    Order,
    Point,
    Twins,
    problems,
    read,
    reader_of,
    refusal,
    value,
)
from toolcrib.errors import ToolArgumentsError

UTC = dt.UTC

UNCHANGED = [
    ("int", "27", 27),
    ("int", "9007199254740993", 9007199254740993),
    ("int", "1" + "0" * 400, 10**400),
    ("float", "27", 27.0),
    ("float", "2.5", 2.5),
    ("float", "1e3", 1000.0),
    ("bool", "true", True),
    ("str", '""', ""),
    ("str", '"null"', "null"),
    ("str", '"[1, 2]"', "[1, 2]"),
    ("str", r'"\ud83d\ude00"', "😀"),
    ("str | None", '"null"', "null"),
    ("str | None", "null", None),
    ("Color", '"red"', Color.RED),
    ("Level", "3", Level.HIGH),
    ("Twins", '"A"', Twins.UPPER),
    ('Literal[1, "1"]', '"1"', "1"),
    ('Literal[1, "1"]', "1", 1),
    ("Literal[1, True]", "true", True),
    ("Literal[1.5]", "1.5", 1.5),
    ("list[int]", "[]", []),
    ("set[int]", "[2, 1]", {1, 2}),
    ("frozenset[str]", '["a"]', frozenset("a")),
    ("tuple[int, str]", '[1, "a"]', (1, "a")),
    ("tuple[int, ...]", "[1, 2]", (1, 2)),
    ("dict[str, Any]", '{"a": 1.5, "b": [null]}', {"a": 1.5, "b": [None]}),
    ("Any", "[1, 1.5, null]", [1, 1.5, None]),
    ("int | str", '"5"', "5"),
    ("int | float", "5.0", 5.0),
    ("str | list[str]", '"[1]"', "[1]"),
    ("date | str", '"2024-03-01"', "2024-03-01"),
    ("date", '"2024-03-01"', dt.date(2024, 3, 1)),
    ("datetime", '"2024-03-01T10:00:00Z"', dt.datetime(2024, 3, 1, 10, tzinfo=UTC)),
    ("datetime", '"2024-03-01T10:00:00.123456"', dt.datetime(2024, 3, 1, 10, 0, 0, 123456)),
    ("time", '"14:30"', dt.time(14, 30)),
    ("timedelta", '"PT1H30M"', dt.timedelta(minutes=90)),
    ("timedelta", '"P1W"', dt.timedelta(weeks=1)),
    (
        "UUID",
        '"12345678-1234-5678-1234-567812345678"',
        uuid.UUID(int=0x12345678123456781234567812345678),
    ),
    ("Decimal", "1.10", Decimal("1.10")),
    ("Decimal", '"12.340"', Decimal("12.340")),
    (
        "Decimal",
        "0.1000000000000000055511151231257827",
        Decimal("0.1000000000000000055511151231257827"),
    ),
    ("bytes", '"aGVsbG8="', b"hello"),
    ("bytes", '""', b""),
    ("Path", '"../x"', Path("../x")),
    ("Point", "[1, 2]", Point(1, 2)),
    ("Point", "[1]", Point(1, 0)),
    ("Iterable[int]", "[1, 2]", [1, 2]),
    ("Iterable[int] | None", "[1]", [1]),
    (
        "Annotated[str, StringConstraints(strip_whitespace=True, max_length=2)]",
        '" ab "',
        "ab",
    ),
]

REPAIRED = [
    ("int", '" 27 "', 27),
    ("int", '"+27"', 27),
    ("int", '"-27"', -27),
    ("int", "27.0", 27),
    ("int", "9007199254740993.0", 9007199254740993),
    ("int", "1e3", 1000),
    ("int", '"1e3"', 1000),
    ("float", '"27.5"', 27.5),
    ("bool", '" FALSE "', False),
    ("bool", "1", True),
    ("str", "42", "42"),
    ("str", "1.10", "1.10"),
    ("str", "-0", "-0"),
    ("int", '"27\\u00a0"', 27),
    ("Color", '"RED"', Color.RED),
    ("Color", '"color.red"', Color.RED),
    ("Color", '"Color.dark-blue"', Color.DARK_BLUE),
    ("Color", '"Color.DARK_BLUE"', Color.DARK_BLUE),
    ("Color", '"Dark Blue"', Color.DARK_BLUE),
    ("Color", '"darkblue"', Color.DARK_BLUE),
    ("Level", '"3"', Level.HIGH),
    ("Level", "3.0", Level.HIGH),
    ("Level", '"high"', Level.HIGH),
    ("Twins", '"lower"', Twins.LOWER),
    ('Literal["a b"]', '"A_B"', "a b"),
    ('Literal["1.10", "2"]', "1.10", "1.10"),
    ('Literal["True", "False"]', "true", "True"),
    ("Literal[True, None]", '"null"', None),
    ("list[str]", '"a"', ["a"]),
    ("list[str]", '"[\\"a\\", \\"b\\"]"', ["a", "b"]),
    ("list[int]", '"7"', [7]),
    ("list[list[int]]", '[[1], "[2]"]', [[1], [2]]),
    ("list[Item]", '{"sku": "a", "qty": 1}', [Item(sku="a", qty=1)]),
    ("list[str] | None", '"null"', None),
    ("bytes | None", '"null"', None),
    ("set[int]", "[1, 1, 2]", {1, 2}),
    ("set[int]", '["1", 1]', {1}),
    ("dict[str, int]", '"{\\"a\\": 1}"', {"a": 1}),
    ("dict[int, str]", '{"1": "a"}', {1: "a"}),
    ("dict[date, int]", '{"2024-3-1": 1}', {dt.date(2024, 3, 1): 1}),
    ("dict[Color, int]", '{"RED": 1}', {Color.RED: 1}),
    ("int | list[int]", '"[1]"', [1]),
    ("int | list[int]", '"5"', 5),
    ("float | int", '"5"', 5),
    ("int | bool", '"true"', True),
    ("int | str", "5.0", 5),
    ("Movie", '{"title": "Up", "year": null}', {"title": "Up"}),
    ("Point", '{"x": "1", "y": 2}', Point(1, 2)),
    ("Aliased", '{"order_id": 7}', Aliased(orderId=7)),
    ("Aliased", '{"orderId": 7, "order_id": 7}', Aliased(orderId=7)),
    ("Pet", '{"kind": "DOG", "bark": "false"}', Dog(kind="dog", bark=False)),
    ("Pet", '{"Kind": "dog"}', Dog(kind="dog")),
    ("Cat | Dog", '{"kind": "cat", "lives": "7"}', Cat(kind="cat", lives=7)),
    (
        "Order",
        '{"items": "[{\\"sku\\": \\"a\\", \\"qty\\": \\"2\\"}]"}',
        Order(items=[Item(sku="a", qty=2)]),
    ),
    ("date", '"2024-3-1"', dt.date(2024, 3, 1)),
    ("date", '"2024-03-01T00:00:00"', dt.date(2024, 3, 1)),
    (
        "datetime",
        '"2024-03-01 10:00+0200"',
        dt.datetime(2024, 3, 1, 10, tzinfo=dt.timezone(dt.timedelta(hours=2))),
    ),
    ("datetime", '"2024-3-1T10:00:00.123000000z"', dt.datetime(2024, 3, 1, 10, 0, 0, 123000, UTC)),
    ("datetime", '"2024-03-01T10:00:00,5 Z"', dt.datetime(2024, 3, 1, 10, 0, 0, 500000, UTC)),
    (
        "datetime",
        '"2024-03-01T10:00:00-03"',
        dt.datetime(2024, 3, 1, 10, tzinfo=dt.timezone(dt.timedelta(hours=-3))),
    ),
    ("timedelta", '"1:30:00"', dt.timedelta(minutes=90)),
    ("timedelta", '"-1:30:00.5"', -dt.timedelta(minutes=90, milliseconds=500)),
    ("timedelta", '"PT1.5H"', dt.timedelta(minutes=90)),
    ("timedelta", '"P1W2D"', dt.timedelta(days=9)),
    ("timedelta", '"pt1,5s"', dt.timedelta(seconds=1.5)),
    (
        "UUID",
        '"{12345678-1234-5678-1234-567812345678}"',
        uuid.UUID(int=0x12345678123456781234567812345678),
    ),
    (
        "UUID",
        '"URN:UUID:12345678-1234-5678-1234-567812345678"',
        uuid.UUID(int=0x12345678123456781234567812345678),
    ),
    (
        "UUID",
        '"12345678123456781234567812345678"',
        uuid.UUID(int=0x12345678123456781234567812345678),
    ),
    ("Decimal", '" 12.3 "', Decimal("12.3")),
    ("bytes", '"aGVsbG8"', b"hello"),
    ("bytes", '"-_-_"', b"\xfb\xff\xbf"),
]

REFUSED = [
    ("int", "27.5"),
    ("int", "true"),
    ("int", "[27]"),
    ("int", "null"),
    ("int", '""'),
    ("int", '"1_000"'),
    ("int", '"1,000"'),
    ("int", '"٢٧"'),
    ("int", '"0x1B"'),
    ("int", "1e400"),
    ("int", "1e1000000000"),
    ("int", '"1e1000000000"'),
    ("Annotated[int, Field(ge=1, le=10)]", "11"),
    ("Annotated[int, Field(multiple_of=5)]", "11"),
    ("int | None", '"None"'),
    ("float", '"3,14"'),
    ("float", '".5"'),
    ("float", '"NaN"'),
    ("float", '"Infinity"'),
    ("float", "1e400"),
    ("float", "1e-400"),
    ("float", "false"),
    ("float", "1" + "0" * 400),
    ("Any", "1e400"),
    ("bool", "2"),
    ("bool", "1.0"),
    ("bool", '"1"'),
    ("bool", '"yes"'),
    ("bool", '""'),
    ("str", "true"),
    ("str", "1e3"),
    ("str", "{}"),
    ("str", "[]"),
    ("str", r'"\ud83d"'),
    ("dict[str, Any]", r'{"\ud83d": 1}'),
    ("Annotated[str, Field(max_length=3)]", '"abcd"'),
    ('Annotated[str, Field(pattern="^[A-Z]+$")]', '"usd"'),
    ("Color", "0"),
    ("Color", '""'),
    ("Color", '"r"'),
    ("Color", '["red"]'),
    ("Level", "2"),
    ("Level", "true"),
    ("Twins", '"-"'),
    ("list[str]", '"a, b"'),
    ("list[str]", '"a\\u2028b"'),
    ("list[str]", '"null"'),
    ("list[str] | None", '"None"'),
    ("list[str]", '"a\\nb"'),
    ("list[str]", '""'),
    ("list[str]", "null"),
    ("list[str]", '"[1"'),
    ("list[str]", '{"0": "a"}'),
    ("list[dict[str, str]]", '{"0": {"a": "b"}}'),
    ("list[list[int]]", "[1, 2]"),
    ("list[list[int]]", "7"),
    ("list[int]", "true"),
    ("Annotated[list[int], Field(min_length=2)]", "7"),
    ("tuple[int, str]", "[1]"),
    ("tuple[int, str]", '[1, "a", 2]'),
    ("tuple[int]", "1"),
    ("dict[str, Any]", "[]"),
    ("dict[str, Any]", "\"{'a': 1}\""),
    ("dict[int, str]", '{"1": "a", "1.0": "b"}'),
    ("dict[int, str]", '{"x": "a"}'),
    ("dict[UUID, str]", '{"x": "a"}'),
    ("Item", '["a", 1]'),
    ("Sealed", '{"code": "a", "more": 1}'),
    ("Aliased", '{"orderId": 7, "order_id": 8}'),
    ("Path", '""'),
    ("Pet", '{"bark": true}'),
    ("Pet", '{"kind": "cow"}'),
    ("bool | str", "1"),
    ("Color | Literal['Red']", '"RED"'),
    ("date", '"2024-03-01T10:00:00Z"'),
    ("date", '"2024-03-01T00:00:00Z"'),
    ("date", '"01/03/2024"'),
    ("date", '"2024-02-30"'),
    ("date", '"2024-W09-5"'),
    ("date", "1709251200"),
    ("date", '"1709251200"'),
    ("datetime", '"2024-03-01"'),
    ("datetime", '"2024-03-01T10:00:00.123456789Z"'),
    ("datetime", '"2024-03-01T24:00:00"'),
    ("datetime", "1709251200"),
    ("time", '"2:30 PM"'),
    ("time", "52200"),
    ("time", '"10:00-12"'),
    ("timedelta", "90"),
    ("timedelta", '"90"'),
    ("timedelta", '"1:30"'),
    ("timedelta", '"P1M"'),
    ("timedelta", '"P1Y"'),
    ("timedelta", '"PT1.5H30M"'),
    ("timedelta", '"PT0.1234567S"'),
    ("timedelta", '"P999999999999D"'),
    ("timedelta", '"P"'),
    ("timedelta", '"PT"'),
    ("UUID", '"user_123"'),
    ("UUID", '"{12345678123456781234567812345678"'),
    ("UUID", '"{1-2345678-1234-5678-1234-56781234567}"'),
    ("Decimal", '"12,34"'),
    ("Decimal", '"NaN"'),
    ("Decimal", "1e1000000000"),
    ("Annotated[Decimal, Field(max_digits=3)]", "1.2345"),
    ("Annotated[Decimal, Field(ge=2)]", "1.5"),
    ("bytes", '"hello world!"'),
    ("bytes", '"aGVsbG9="'),
    ("bytes", '"a"'),
    ("bytes", '"aGVsbG8=="'),
    ("bytes", "[104]"),
]


@pytest.mark.parametrize(("annotation", "text", "expected"), UNCHANGED)
def test_a_value_that_fits_is_read_without_a_note(
    annotation: str, text: str, expected: Any
) -> None:
    found = read(f"x: {annotation}", f'{{"x": {text}}}')
    assert found.values == {"x": expected}
    assert type(found.values["x"]) is type(expected)
    assert found.repairs == ()


@pytest.mark.parametrize(("annotation", "text", "expected"), REPAIRED)
def test_an_odd_spelling_of_one_meaning_is_read_and_noted(
    annotation: str, text: str, expected: Any
) -> None:
    found = read(f"x: {annotation}", f'{{"x": {text}}}')
    assert found.values == {"x": expected}
    assert type(found.values["x"]) is type(expected)
    assert found.repairs
    assert all(repair.path.startswith("x") and repair.note for repair in found.repairs)


@pytest.mark.parametrize(("annotation", "text"), REFUSED)
def test_what_is_lossy_or_ambiguous_is_refused_at_its_path(annotation: str, text: str) -> None:
    found = refusal(f"x: {annotation}", f'{{"x": {text}}}')
    assert all(problem.path.startswith("x") for problem in found)
    assert all("pydantic" not in str(problem) for problem in found)


def test_the_order_of_a_union_does_not_matter() -> None:
    assert value("int | str", "5") == value("str | int", "5") == 5
    assert value("int | str", '"5"') == value("str | int", '"5"') == "5"


def test_bytes_inside_a_model_are_base64_whatever_its_configuration() -> None:
    class Blob(BaseModel):
        model_config = ConfigDict(val_json_bytes="utf8", strict=True)
        data: bytes

    text = json.dumps({"x": {"data": base64.b64encode(b"\xff\x00").decode()}})
    assert reader_of("x: Blob", {**TYPES, "Blob": Blob}).read(text).values["x"].data == b"\xff\x00"


def test_a_strict_model_takes_the_json_spellings_of_its_types() -> None:
    class Booking(BaseModel):
        model_config = ConfigDict(strict=True, extra="forbid")
        day: dt.date
        seats: tuple[int, ...]
        price: Decimal
        color: Color
        key: uuid.UUID
        tags: frozenset[str]

    text = (
        '{"x": {"day": "2024-03-01", "seats": [1, 2], "price": 9.90, "color": "red",'
        ' "key": "12345678-1234-5678-1234-567812345678", "tags": ["a"]}}'
    )
    found = reader_of("x: Booking", {**TYPES, "Booking": Booking}).read(text)
    assert found.values["x"] == Booking(
        day=dt.date(2024, 3, 1),
        seats=(1, 2),
        price=Decimal("9.90"),
        color=Color.RED,
        key=uuid.UUID("12345678-1234-5678-1234-567812345678"),
        tags=frozenset("a"),
    )
    assert found.repairs == ()


def test_a_users_own_reading_gets_the_value_as_it_came() -> None:
    space = {**TYPES, "BeforeValidator": BeforeValidator, "split": lambda text: text.split(",")}
    reader = reader_of("x: Annotated[list[str], BeforeValidator(split)]", space)
    assert reader.read('{"x": "a,b"}').values == {"x": ["a", "b"]}


def test_a_users_own_check_is_told_in_its_own_words() -> None:
    def even(number: int) -> int:
        if number % 2:
            raise ValueError("it must be even")
        return number

    space = {**TYPES, "AfterValidator": AfterValidator, "even": even}
    (problem,) = problems(reader_of("x: Annotated[int, AfterValidator(even)]", space), '{"x": "3"}')
    assert problem.path == "x"
    assert "it must be even" in problem.expected
    assert "Value error" not in str(problem)


def test_a_type_that_is_made_from_json_only_is_made_from_json() -> None:
    class Celsius:
        def __init__(self, degrees: int) -> None:
            self.degrees = degrees

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            return core_schema.json_or_python_schema(
                core_schema.no_info_after_validator_function(cls, core_schema.int_schema()),
                core_schema.is_instance_schema(cls),
            )

    reader = reader_of("x: list[Celsius]", {**TYPES, "Celsius": Celsius})
    assert reader.read('{"x": ["5"]}').values["x"][0].degrees == 5


def test_a_check_that_breaks_is_a_refusal_that_keeps_its_cause_from_the_model() -> None:
    def broken(number: int) -> int:
        raise KeyError("password")

    space = {**TYPES, "AfterValidator": AfterValidator, "broken": broken}
    with pytest.raises(ToolArgumentsError) as raised:
        reader_of("x: Annotated[int, AfterValidator(broken)]", space).read('{"x": 3}')
    assert "password" not in str(raised.value)
    assert isinstance(raised.value.__cause__, KeyError)


def test_an_enum_that_makes_its_own_members_is_asked() -> None:
    class Size(enum.Enum):
        SMALL = "s"

        @classmethod
        def _missing_(cls, value: object) -> "Size | None":
            return cls.SMALL if value == "tiny" else None

    reader = reader_of("x: Size", {**TYPES, "Size": Size})
    assert reader.read('{"x": "tiny"}').values == {"x": Size.SMALL}


@pytest.mark.parametrize(("text", "path"), [('["a", null]', "x[1]"), ('[{"a": 1}]', "x[0]")])
def test_a_problem_inside_a_list_names_its_index(text: str, path: str) -> None:
    assert [problem.path for problem in refusal("x: list[str]", f'{{"x": {text}}}')] == [path]


def test_a_problem_inside_a_model_names_its_whole_path() -> None:
    text = '{"x": {"items": [{"sku": "a", "qty": 1}, {"sku": null, "qty": 0}]}}'
    found = refusal("x: Order", text)
    assert [problem.path for problem in found] == ["x.items[1].sku", "x.items[1].qty"]


def test_one_of_several_models_is_blamed_where_it_fails() -> None:
    (problem,) = refusal("x: Cat | Dog", '{"x": {"kind": "cow"}}')
    assert problem.path == "x.kind"
    assert problem.allowed == ('"cat"', '"dog"')


def test_a_tree_is_repaired_at_every_depth() -> None:
    text = (
        '{"x": {"value": "1", "children": "[{\\"value\\": 2, \\"children\\": {\\"value\\": 3}}]"}}'
    )
    node = read("x: Node", text).values["x"]
    assert (node.value, node.children[0].value, node.children[0].children[0].value) == (1, 2, 3)
