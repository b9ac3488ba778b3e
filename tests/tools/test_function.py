"""`@tool`: the function stays what it was, and becomes a tool."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
from collections.abc import AsyncIterator, Coroutine, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from tests.tools.calling import call
from toolcrib.errors import ConfigurationError, ToolArgumentsError
from toolcrib.schema.parameters import Param
from toolcrib.tools.context import ToolContext
from toolcrib.tools.definition import ReturnBehavior, Visibility
from toolcrib.tools.function import FunctionTool, tool
from toolcrib.tools.methods import as_tools
from toolcrib.tools.tool import ToolOptions


@tool
def add(a: int, b: int = 2) -> int:
    """Add two numbers.

    Args:
        a: the first
        b: the second
    """
    return a + b


@tool(name="sum-up", description=["Adds.", "Only numbers."], idempotent=True, retries=2)
def named(a: int) -> int:
    """Not shown."""
    return a


def plain(a: int) -> int:
    return a


rewrapped = tool(plain, name="another", effect="read")


def test_it_is_called_as_before() -> None:
    assert add(1, b=3) == 4
    assert add.__name__ == "add"
    assert add.__doc__ is not None
    assert list(inspect.signature(add).parameters) == ["a", "b"]
    assert inspect.unwrap(add) is add.__wrapped__  # type: ignore[attr-defined]


def test_the_definition_comes_from_the_function() -> None:
    assert add.definition.to_dict() == {
        "name": "add",
        "description": "Add two numbers.",
        "input_schema": {
            "type": "object",
            "properties": {
                "a": {"type": "integer", "description": "the first"},
                "b": {"type": "integer", "description": "the second", "default": 2},
            },
            "required": ["a"],
            "additionalProperties": False,
        },
    }


def test_the_definition_is_the_same_bytes_each_time() -> None:
    def f(a: list[int], b: dict[str, int] | None = None) -> None: ...

    assert tool(f).definition.to_json() == tool(f).definition.to_json()


def test_a_call_reads_the_text_and_fills_defaults() -> None:
    assert call(add, '{"a": 1}') == 3


def test_arguments_that_do_not_fit_are_explained() -> None:
    with pytest.raises(ToolArgumentsError) as caught:
        add.read('{"a": "many", "b": "few"}')
    assert [problem.path for problem in caught.value.problems] == ["a", "b"]
    assert caught.value.tool == "add"


def test_options_reach_definition_and_run() -> None:
    assert named.name == "sum-up"
    assert named.definition.description == "Adds.\nOnly numbers."
    assert named.options == ToolOptions(idempotent=True, retries=2)

    @tool(
        metadata={"team": ["a", 1]},
        returns=ReturnBehavior.IMMEDIATE,
        visibility=Visibility.ALWAYS,
        strict=True,
        effect="write",
        timeout=1.5,
        exclusive=True,
        thread="caller",
    )
    def f() -> None: ...

    assert f.definition.metadata == {"team": ["a", 1]}
    assert f.definition.returns is ReturnBehavior.IMMEDIATE
    assert f.definition.visibility is Visibility.ALWAYS
    assert (f.definition.strict, f.definition.effect) == (True, "write")
    assert f.options == ToolOptions(timeout=1.5, exclusive=True, thread="caller")


def test_metadata_is_a_copy() -> None:
    metadata = {"a": [1]}

    def f() -> None: ...

    made = tool(f, metadata=metadata)
    metadata["a"].append(2)
    assert made.definition.metadata == {"a": [1]}


@pytest.mark.parametrize("description", ["", [], [""]])
def test_an_empty_description_is_none(description: Any) -> None:
    def f() -> None:
        """Not shown."""

    assert tool(f, description=description).definition.description is None


def test_a_tool_without_parameters_has_no_schema() -> None:
    def f() -> None: ...

    assert tool(f).definition.input_schema is None
    assert call(tool(f), "") is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"retries": 1}, "idempotent=True"),
        ({"retries": -1, "idempotent": True}, "0 or more"),
        ({"retries": True, "idempotent": True}, "0 or more"),
        ({"timeout": 0}, "positive"),
        ({"timeout": -1}, "positive"),
        ({"timeout": float("inf")}, "positive"),
        ({"timeout": float("nan")}, "positive"),
        ({"timeout": "5"}, "positive"),
        ({"timeout": True}, "positive"),
        ({"thread": "main"}, "'pool', 'caller'"),
        ({"effect": "delete"}, "'read', 'write'"),
        ({"strict": 1}, "None, True, False"),
        ({"idempotent": "yes"}, "True, False"),
        ({"exclusive": 1}, "True, False"),
        ({"returns": "immediate"}, "ReturnBehavior.IMMEDIATE"),
        ({"visibility": True}, "Visibility.ALWAYS"),
        ({"metadata": {"a": object()}}, "JSON"),
        ({"metadata": {"a": float("nan")}}, "JSON"),
        ({"metadata": {1: "a"}}, "texts as keys"),
        ({"metadata": {"a": (1, 2)}}, "lists"),
        ({"metadata": "text"}, "dict"),
        ({"description": 5}, "text"),
        ({"description": ["a", 5]}, "text"),
        ({"needs_approval": True}, "no such option"),
        ({"nmae": "x"}, "no such option"),
        ({"name": 5}, "must be a text"),
        ({"name": ""}, "needs a name"),
        ({"name": "a b"}, "blanks"),
        ({"name": "x" * 129}, "129 characters"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, Any], why: str) -> None:
    def f() -> None: ...

    with pytest.raises(ConfigurationError, match=why):
        tool(f, **options)
    with pytest.raises(ConfigurationError, match=why):
        tool(**options)(f)


def test_a_name_of_128_characters_in_any_script_is_fine() -> None:
    def f() -> None: ...

    assert tool(f, name="查" * 128).name == "查" * 128


@pytest.mark.parametrize("thing", [None, 5, "text", int, object()])
def test_what_is_no_function_is_refused(thing: Any) -> None:
    with pytest.raises(ConfigurationError, match="made of a function"):
        tool(thing)


def test_a_tool_is_not_made_twice() -> None:
    with pytest.raises(ConfigurationError, match="tool already"):
        tool(add)


def test_a_lambda_needs_a_name() -> None:
    with pytest.raises(ConfigurationError, match=r"name='\.\.\.'"):
        tool(lambda: None)
    assert tool(lambda: None, name="nothing").name == "nothing"


def test_a_generator_function_is_refused() -> None:
    def f() -> Iterator[int]:
        yield 1

    with pytest.raises(ConfigurationError, match="Return a list"):
        tool(f)


async def test_an_async_function_gives_an_awaitable() -> None:
    @tool
    async def f(a: int) -> int:
        return a

    assert f.mode == "async"
    assert await call(f, '{"a": 1}') == 1
    assert await f(2) == 2


async def test_an_async_generator_tells_of_progress() -> None:
    @tool
    async def f(a: int, context: ToolContext) -> AsyncIterator[int]:
        yield a
        yield a + 1

    assert f.mode == "progress"
    assert list((f.definition.input_schema or {})["properties"]) == ["a"]
    assert [one async for one in call(f, '{"a": 1}')] == [1, 2]


def test_a_function_that_says_it_gives_a_coroutine_is_async() -> None:
    async def inner(a: int) -> int:
        return a

    def f(a: int) -> Coroutine[Any, Any, int]:
        return inner(a)

    assert tool(f).mode == "async"


def test_a_callable_object_is_a_tool() -> None:
    @dataclass
    class WordCount:
        """Count words."""

        factor: int

        async def __call__(self, text: str) -> int:
            return len(text.split()) * self.factor

    counted = tool(WordCount(2))
    assert counted.name == "word_count"
    assert counted.mode == "async"
    assert counted.definition.description == "Count words."
    assert counted.origin.startswith("object '")


async def test_a_partial_is_a_tool() -> None:
    async def f(user: str, a: int, b: int = 2) -> str:
        """Say it."""
        return f"{user}{a}{b}"

    made = tool(functools.partial(f, "ann", b=3))
    assert (made.name, made.mode, made.definition.description) == ("f", "async", "Say it.")
    assert await call(made, '{"a": 1}') == "ann13"
    with pytest.raises(ToolArgumentsError):
        made.read('{"a": 1, "b": 9}')


def test_a_partial_of_a_tool_is_a_tool() -> None:
    assert call(tool(functools.partial(add, b=10)), '{"a": 1}') == 11


def test_parameters_by_position_only_are_passed_so() -> None:
    @tool
    def f(a: int, b: int = 2, /, *, c: int) -> tuple[int, int, int]:
        return a, b, c

    assert call(f, '{"c": 3, "a": 1}') == (1, 2, 3)


def test_awkward_python_names_get_through() -> None:
    @tool
    def f(
        from_: Annotated[str, Param(name="from")],
        model_config: int,
        _hidden: int,
        self_: int,
        json: int,
        schema: int,
        values: int,
        context: int,
    ) -> Any:
        return locals()

    text = (
        '{"from": "x", "model_config": 1, "_hidden": 2, "self_": 3, "json": 4, "schema": 5,'
        ' "values": 6, "context": 7}'
    )
    assert call(f, text) == {
        "from_": "x",
        "model_config": 1,
        "_hidden": 2,
        "self_": 3,
        "json": 4,
        "schema": 5,
        "values": 6,
        "context": 7,
    }


def test_mutating_a_default_never_reaches_the_next_call() -> None:
    @tool
    def f(
        b: Annotated[dict[str, list[int]], Param(default={"x": []})],
        a: list[int] = [],  # noqa: B006
    ) -> Any:
        a.append(1)
        b["x"].append(1)
        return a, b

    assert call(f, "{}") == ([1], {"x": [1]})
    assert call(f, "{}") == ([1], {"x": [1]})


def test_only_a_read_tool_drops_unknown_arguments() -> None:
    with pytest.raises(ToolArgumentsError):
        add.read('{"a": 1, "dry_run": true}')
    read = rewrapped.read('{"a": 1, "dry_run": true}')
    assert read.values == {"a": 1}
    assert read.repairs


def test_none_means_success_unless_another_type_is_declared() -> None:
    def nothing() -> None: ...
    def unsaid(): ...  # type: ignore[no-untyped-def]
    def maybe() -> int | None: ...

    assert [tool(f).none_means_success for f in (nothing, unsaid, maybe)] == [True, True, False]


def test_the_origin_says_where_it_was_written() -> None:
    assert add.origin == "function 'tests.tools.test_function.add'"
    assert "add" in repr(add)


@pytest.mark.parametrize("made", [add, named], ids=["default", "options"])
def test_a_decorated_function_pickles_by_name(made: FunctionTool[..., Any]) -> None:
    assert pickle.loads(pickle.dumps(made)) is made


def test_a_wrapped_function_pickles_with_its_options() -> None:
    loaded = pickle.loads(pickle.dumps(rewrapped))
    assert loaded.definition == rewrapped.definition
    partial = tool(functools.partial(plain, a=1), name="fixed")
    assert call(pickle.loads(pickle.dumps(partial)), "{}") == 1


def test_a_local_tool_says_why_it_cannot_be_pickled() -> None:
    @tool
    def f() -> None: ...

    with pytest.raises(pickle.PicklingError, match="top of a module"):
        pickle.dumps(f)


def test_a_tool_is_never_copied() -> None:
    assert copy.copy(add) is add
    assert copy.deepcopy({"t": add})["t"] is add


def test_attributes_of_the_function_do_not_disturb_the_tool() -> None:
    def f(a: int) -> int:
        return a

    f.definition = f.options = f.mode = "mine"  # type: ignore[attr-defined]
    assert tool(f).definition.name == "f"
    assert tool(f).mode == "sync"


def test_a_plain_function_in_a_list_is_the_same_as_a_tool() -> None:
    (made,) = as_tools([plain])
    assert isinstance(made, FunctionTool)
    assert made.definition == tool(plain).definition
