"""What a model is told of refused arguments: short, exact, and enough to put it right."""

import json
from typing import Any

import pytest

from tests.schema.reading import by_schema, problems, refusal

COLORS = ('"red"', '"dark-blue"')


@pytest.mark.parametrize(
    ("annotation", "arguments", "path"),
    [
        ("Color", "{}", "x"),
        ("Color", '{"x": "blue"}', "x"),
        ("Color | None", '{"x": "blue"}', "x"),
        ("list[Color]", "{}", "x"),
        ("list[Color]", '{"x": "red,blue"}', "x"),
        ("list[Color]", '{"x": ["blue"]}', "x[0]"),
        ("dict[str, list[Color]]", '{"x": {"a": ["red", 1]}}', "x.a[1]"),
        ('Literal["red", "dark-blue"]', "{}", "x"),
        ('int | Literal["red", "dark-blue"]', '{"x": "blue"}', "x"),
    ],
)
def test_whoever_wants_one_of_several_values_lists_them(
    annotation: str, arguments: str, path: str
) -> None:
    (problem,) = refusal(f"x: {annotation}", arguments)
    assert problem.path == path
    assert problem.allowed == COLORS
    assert "allowed values" in problem.expected


def test_missing_values_inside_a_hand_written_schema_are_listed_too() -> None:
    unit = {"$ref": "#/$defs/Unit"}
    schema = {
        "type": "object",
        "properties": {
            "at": {
                "type": "object",
                "properties": {"unit": unit, "day": {"anyOf": [unit, {"type": "null"}]}},
                "required": ["unit", "day"],
            }
        },
        "required": ["at"],
        "$defs": {"Unit": {"enum": ["c", "f"]}},
    }
    found = problems(by_schema(schema), '{"at": {}}')
    assert [(one.path, one.allowed) for one in found] == [
        ("at.unit", ('"c"', '"f"')),
        ("at.day", ('"c"', '"f"')),
    ]


def test_a_schema_in_parts_is_described_by_them() -> None:
    part = {"allOf": [{"$ref": "#/$defs/Unit"}]}
    schema = {
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        "properties": {"a": part, "b": part},
        "$defs": {"Unit": {"enum": ["c", "f"]}},
    }
    (problem,) = problems(by_schema(schema), "{}")
    assert problem.expected == 'an object with "a" or an object with "b"'
    (problem,) = problems(by_schema(schema), '{"a": ["x"]}')
    assert (problem.path, problem.allowed) == ("a", ('"c"', '"f"'))
    (problem,) = problems(by_schema({**schema, "required": ["a"]}), '{"b": "c"}')
    assert problem.expected == "one of the allowed values"
    assert problem.allowed == ('"c"', '"f"')


def test_a_missing_tag_lists_the_tags() -> None:
    (problem,) = refusal("x: Pet", '{"x": {"bark": true}}')
    assert (problem.path, problem.allowed) == ("x.kind", ('"cat"', '"dog"'))


def test_a_value_for_several_types_is_not_blamed_on_one_of_them() -> None:
    (problem,) = refusal('x: int | Literal["auto", "max"]', '{"x": "other"}')
    assert problem.expected == "an integer or one of the allowed values"
    (problem,) = refusal("x: Item | Sealed", '{"x": {"sku": "a"}}')
    assert problem.path == "x.qty"


def test_what_is_there_but_says_none_may_be_left_out_where_that_is_allowed() -> None:
    for text in ('""', '"None"', '" "'):
        (problem,) = refusal("x: int = 5", f'{{"x": {text}}}')
        assert problem.expected == "an integer, or leave it out"
    (problem,) = refusal("x: Movie", '{"x": {"title": "Up", "year": ""}}')
    assert problem.expected == "an integer, or leave it out"
    (problem,) = refusal("x: Color | None", '{"x": ""}')
    assert problem.expected == "one of the allowed values, or leave it out"
    assert problem.allowed == COLORS
    for signature, text in (("x: int", '""'), ("x: int = 5", '"many"')):
        (problem,) = refusal(signature, f'{{"x": {text}}}')
        assert problem.expected == "an integer"


@pytest.mark.parametrize(
    ("annotation", "text", "expected"),
    [
        ("tuple[int, str]", "[1]", "a list of 2 items: an integer, a text"),
        ("Item", '"a"', 'an object with "sku", "qty"'),
        ("list[Item]", "[1]", 'an object with "sku", "qty"'),
        ("Decimal", '"a"', "a decimal number"),
        ("Annotated[Decimal, Field(gt=0)]", "-1", "a decimal number, more than 0"),
        ("Annotated[str, Field(min_length=1)]", '""', "a text, at least 1 character"),
        (
            "Annotated[list[int], Field(max_length=2)]",
            "[1,2,3]",
            "a list of integers, at most 2 items",
        ),
        ("Path", '""', "a path"),
        ("str", "[1]", "a text, not a list"),
        ("str", '{"type": "string"}', "a text, not a schema of it"),
        ("str", "{}", "a text, not an object (if it is to hold JSON, write that as a text)"),
        ("Level", '"5"', "one of the allowed values"),
        ("PastDate", '"2999-01-01"', "a date in the past"),
        ("AwareDatetime", '"2024-03-01T10:00:00"', "a time with Z or an offset"),
        ("FilePath", '""', "the path of a file"),
        ("IPv4Address", '"x"', "a valid IPv4 address"),
    ],
)
def test_what_was_expected_is_said_plainly(annotation: str, text: str, expected: str) -> None:
    (problem,) = refusal(f"x: {annotation}", f'{{"x": {text}}}')
    assert problem.expected == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{'a': 1}", "names and texts must stand in double quotes (at character 2)"),
        ("{a: 1}", "names and texts must stand in double quotes (at character 2)"),
        ('{"a": \u201cb\u201d}', "names and texts must stand in double quotes (at character 7)"),
        ('{"a": True}', "True is not JSON; write true, false or null (at character 7)"),
        ('{"a": undefined}', "undefined is not JSON; write true, false or null (at character 7)"),
        ('{"a": .5}', "numbers are written in decimal digits, as -0.5 or 27 (at character 7)"),
        ('{"a": 5.}', "numbers are written in decimal digits, as -0.5 or 27 (at character 8)"),
        ('{"a": +5}', "numbers are written in decimal digits, as -0.5 or 27 (at character 7)"),
        ('{"a": 0x1B}', "numbers are written in decimal digits, as -0.5 or 27 (at character 8)"),
        ('{"a": 1 "b": 2}', "a comma is missing"),
        ('{"a": "say "hi""}', "a double quote in a text is not written as"),
        ('{"a" 1}', "a colon is missing after a name (at character 6)"),
        ('{"a": 1,, "b": 2}', "there is a comma too many (at character 9)"),
        ('{"a": [1}', "a bracket is closed that was not open (at character 9)"),
        ('{"a": 1 // b\n}', "it has a comment (at character 9)"),
        ('{"a": "C:\\dir"}', "a backslash in a text must be written as"),
        ('{"a": 1} Done.', "there is more text after the JSON (at character 10)"),
        ('Here: {"a": 1}', "it does not begin with the object; write nothing but JSON"),
        ('{"a": ...}', "it is not valid JSON (at character 7)"),
    ],
)
def test_a_slip_in_the_json_is_named_with_its_place(text: str, reason: str) -> None:
    (problem,) = refusal("a: Any", text)
    assert problem.expected.startswith("one JSON object that holds the arguments, but ")
    assert reason in problem.expected


def test_the_text_around_a_slip_is_shown_as_it_was_written() -> None:
    (problem,) = refusal("a: Any", '{"a": "C:\\dir"}')
    assert problem.received == '{"a": "C:\\dir"}'
    (problem,) = refusal("a: Any", '{"b": "' + "c" * 500 + '",\n"a": True}')
    assert problem.received is not None
    assert '"a": True}' in problem.received
    assert "\n" not in problem.received
    assert len(problem.received) <= 70


def test_long_lists_of_allowed_values_are_not_told_again_and_again() -> None:
    names = [f"value-{number}-{'x' * 50}" for number in range(200)]
    schema: dict[str, Any] = {"properties": {"x": {"items": {"enum": names}, "type": "array"}}}
    found = problems(by_schema(schema), json.dumps({"x": ["y"] * 45}))
    assert len(found) == 45
    assert len(found[0].allowed) == 40
    assert found[-1].allowed == ()
    assert sum(len(str(problem)) for problem in found) < 20_000
