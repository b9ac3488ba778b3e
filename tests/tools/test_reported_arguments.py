"""Faults in reading arguments that were reported of libraries of this kind, each as a small case of its kind."""

from __future__ import annotations

import enum
import json
from typing import Any

import pytest
from pydantic import BaseModel

from tests.tools.calling import call
from toolcrib.errors import ToolArgumentsError
from toolcrib.tools.function import FunctionTool, tool


class User(BaseModel):
    username: str
    age: int


class Taste(enum.Enum):
    LIGHT = "清淡"
    SPICY = "辣"


class Swapped(enum.Enum):
    """Each value is the other member's name."""

    A = "B"
    B = "A"


def taking(annotation: Any) -> FunctionTool[..., Any]:
    """A tool that gives its only argument `x` back."""

    def f(x: Any) -> Any:
        return x

    f.__annotations__["x"] = annotation
    return tool(f)


def refused(one: FunctionTool[..., Any], text: str) -> str:
    with pytest.raises(ToolArgumentsError) as caught:
        one.read(text)
    return str(caught.value)


@pytest.mark.parametrize("said", ["123", "1e5", "true", "null", "[1, 2]", '{"a": 1}', '"quoted"'])
def test_a_text_that_looks_like_json_stays_a_text(said: str) -> None:
    read = taking(str).read(json.dumps({"x": said}))
    assert read.values == {"x": said}
    assert read.repairs == ()


@pytest.mark.parametrize(
    ("annotation", "said", "value"),
    [
        (User, '{"username": "t", "age": 25}', User(username="t", age=25)),
        (list[int], "[1, 2, 3]", [1, 2, 3]),
        (dict[str, int], '{"a": 1}', {"a": 1}),
        (set[int], "[1, 2]", {1, 2}),
        (list[User], '[{"username": "t", "age": 25}]', [User(username="t", age=25)]),
    ],
)
def test_json_text_for_a_list_or_an_object_is_read_and_noted(
    annotation: Any, said: str, value: Any
) -> None:
    read = taking(annotation).read(json.dumps({"x": said}))
    assert read.values == {"x": value}
    assert [repair.path for repair in read.repairs] == ["x"]


@pytest.mark.parametrize(
    ("annotation", "said", "member"),
    [
        (Taste, "辣", Taste.SPICY),
        (Taste, "SPICY", Taste.SPICY),
        (Swapped, "A", Swapped.B),  # the value comes before the name
    ],
)
def test_an_enum_is_read_by_its_value_first_and_then_by_its_name(
    annotation: Any, said: str, member: enum.Enum
) -> None:
    assert call(taking(annotation), json.dumps({"x": said})) is member


def test_declared_defaults_hold_and_a_wrong_type_is_a_refusal_of_this_call() -> None:
    @tool
    def f(limit: int = 10, done: bool = False, taste: Taste = Taste.LIGHT) -> Any:
        return limit, done, taste

    assert call(f, "{}") == (10, False, Taste.LIGHT)
    assert refused(f, '{"limit": "x"}').count("limit") == 1


def test_arguments_inside_one_more_object_are_taken_out_or_the_object_is_named() -> None:
    @tool
    def f(reflection: str, question: str) -> Any:
        return reflection, question

    inner = {"reflection": "Hm.", "question": "Is it an animal?"}
    read = f.read(json.dumps({"_": inner}))
    assert read.values == inner
    assert len(read.repairs) == 1
    assert "\n- _: got" in refused(f, '{"_": {"reflection": "Hm.", "answer": "No."}}')


@pytest.mark.parametrize("text", ['[{"x": "A"}, {"x": "B"}]', '[{"output": 1}, {"x": "A"}]', "[1]"])
def test_an_array_of_arguments_is_refused_as_no_object(text: str) -> None:
    said = refused(taking(str), text)
    assert f"got {text}; expected a JSON object" in said


@pytest.mark.parametrize(
    "text", ['{"x": "print("hi")"}', '{"x": ', "x = 1", '{"x": "a"} {"x": "b"}']
)
def test_malformed_json_never_becomes_no_arguments(text: str) -> None:
    @tool
    def f(x: str = "default") -> str:
        return x

    assert "JSON" in refused(f, text)
