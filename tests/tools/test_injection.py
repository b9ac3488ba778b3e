"""Parameters that are filled for the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import pytest

from tests.tools.calling import call, tool_context
from toolcrib.errors import ConfigurationError
from toolcrib.tools.context import Injected, MemoryId, RunParameters, ToolContext
from toolcrib.tools.define import tool_from_schema
from toolcrib.tools.function import tool
from toolcrib.tools.injection import check_injection


class Database:
    def __init__(self, name: str = "db") -> None:
        self.name = name


class Replica(Database): ...


class Other: ...


@runtime_checkable
class Clock(Protocol):
    def now(self) -> int: ...


class Blind(Protocol):
    def see(self) -> int: ...


class FixedClock:
    def now(self) -> int:
        return 7


T = TypeVar("T")


class Repository(Generic[T]): ...


@dataclass
class Deps:
    db: Database
    clock: FixedClock
    _hidden: Other | None = None

    @property
    def expensive(self) -> Other:
        raise AssertionError("a property must not be asked")


class Slotted:
    __slots__ = ("db", "unset")

    def __init__(self, db: Database) -> None:
        self.db = db


class Pair(NamedTuple):
    db: Database
    other: Other


DB = Database()
CLOCK = FixedClock()


@tool
def query(sql: str, db: Injected[Database]) -> Any:
    return db


@pytest.mark.parametrize(
    "deps",
    [
        DB,
        {Database: DB},
        {Database: DB, "again": Replica()},
        {"anything": DB, "other": Other()},
        [DB, Other()],
        (Other(), DB),
        Pair(DB, Other()),
        Deps(DB, CLOCK),
        Slotted(DB),
        {"a": DB, "b": DB},
    ],
    ids=lambda deps: type(deps).__name__,
)
def test_a_dependency_is_found_by_its_type(deps: Any) -> None:
    check_injection(query, deps)
    assert call(query, '{"sql": "x"}', deps=deps) is DB


def test_a_subclass_is_as_good() -> None:
    replica = Replica()
    assert call(query, '{"sql": "x"}', deps=[replica]) is replica


def test_it_is_never_in_the_schema_and_never_taken_from_the_model() -> None:
    assert list((query.definition.input_schema or {})["properties"]) == ["sql"]
    with pytest.raises(Exception, match="db"):
        query.read('{"sql": "x", "db": "mine"}')


@pytest.mark.parametrize(
    ("deps", "there"),
    [
        (None, "they were None"),
        (Other(), "Other"),
        ([Other()], r"list \(\[0\]: Other\)"),
        ({"a": 1}, r"dict \(a: int\)"),
        ({}, "no public values"),
        ([DB, Database()], r"2 values match \(\[0\], \[1\]\)"),
        ({"a": DB, "b": Replica()}, r"2 values match \(a, b\)"),
        ("text", "str"),
    ],
)
def test_none_or_several_are_refused_with_what_was_there(deps: Any, there: str) -> None:
    for attempt in (
        lambda: check_injection(query, deps),
        lambda: call(query, '{"sql": "x"}', deps=deps),
    ):
        with pytest.raises(ConfigurationError, match=there) as caught:
            attempt()
        for word in ("'query'", "'db'", "Database"):
            assert word in str(caught.value)


def test_values_of_dependencies_are_never_printed() -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_injection(query, {"password": "hunter2", "token": "s3cret"})
    assert "hunter2" not in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_hidden_attributes_and_properties_are_not_looked_at() -> None:
    @tool
    def f(other: Injected[Other]) -> None: ...

    with pytest.raises(ConfigurationError):
        check_injection(f, Deps(DB, CLOCK, Other()))


def test_protocols_and_generics_are_found_where_that_is_certain() -> None:
    @tool
    def f(clock: Injected[Clock], users: Injected[Repository[int]]) -> Any:
        return clock, users

    users = Repository[int]()
    assert call(f, "{}", deps=[CLOCK, users]) == (CLOCK, users)


def test_a_protocol_that_cannot_be_recognised_is_found_as_a_key_only() -> None:
    @tool
    def f(blind: Injected[Blind]) -> Any:
        return blind

    assert call(f, "{}", deps={Blind: CLOCK}) is CLOCK
    with pytest.raises(ConfigurationError, match=r"deps=\{Blind: value\}"):
        check_injection(f, [CLOCK])


@pytest.mark.parametrize("annotation", ["Injected[Database | None]", "Injected[Database] | None"])
def test_an_optional_dependency_may_be_missing_but_not_ambiguous(annotation: str) -> None:
    def f(db): ...  # type: ignore[no-untyped-def]

    f.__annotations__["db"] = annotation
    made = tool(f)
    check_injection(made, None)
    with pytest.raises(ConfigurationError):
        check_injection(made, [DB, Database()])


def test_the_context_comes_at_any_position() -> None:
    @tool
    def f(context: ToolContext, a: int, *, again: ToolContext | None, b: int = 2) -> Any:
        return context, again, a, b

    context = tool_context()
    assert call(f, '{"a": 1}', context) == (context, context, 1, 2)


def test_the_context_comes_by_position_too() -> None:
    @tool
    def f(context: ToolContext, a: int, /) -> Any:
        return context, a

    context = tool_context()
    assert call(f, '{"a": 1}', context) == (context, 1)


def test_the_memory_id_is_filled_in() -> None:
    @tool
    def f(user: Annotated[str, MemoryId], a: int) -> Any:
        return user, a

    assert list((f.definition.input_schema or {})["properties"]) == ["a"]
    assert call(f, '{"a": 1}', memory_id="ann") == ("ann", 1)
    assert call(f, '{"a": 1}') == ("default", 1)


class Mine(RunParameters): ...


def test_the_parameters_of_the_run_are_shared() -> None:
    @tool
    def f(parameters: RunParameters) -> None:
        parameters["seen"] = True

    given = RunParameters()
    call(f, "{}", parameters=given)
    assert given == {"seen": True}


def test_parameters_of_another_class_are_refused() -> None:
    @tool
    def f(parameters: Mine) -> Any:
        return parameters

    mine = Mine()
    assert call(f, "{}", parameters=mine) is mine
    check_injection(f, None, mine)
    check_injection(f, None)
    for attempt in (lambda: call(f, "{}"), lambda: check_injection(f, None, RunParameters())):
        with pytest.raises(ConfigurationError, match=r"parameters=Mine\(\.\.\.\)"):
            attempt()


def test_a_hand_written_schema_does_not_change_what_is_filled_in() -> None:
    def f(a: int, context: ToolContext, db: Injected[Database]) -> Any:
        return a, context.run_id, db

    schema = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
    made = tool_from_schema(schema, f, name="it")
    check_injection(made, DB)
    assert call(made, '{"a": 1}', deps=DB) == (1, "run", DB)
    with pytest.raises(ConfigurationError):
        check_injection(made, None)


@pytest.mark.parametrize(
    "make",
    [
        lambda f: tool(f),
        lambda f: tool_from_schema(None, f, name="it"),
    ],
)
def test_a_tool_without_injection_needs_no_deps(make: Callable[[Any], Any]) -> None:
    def f() -> None: ...

    check_injection(make(f), None)
