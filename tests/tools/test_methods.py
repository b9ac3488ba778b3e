"""Objects whose methods are tools, and what may stand in `tools=[…]`."""

from __future__ import annotations

import abc
import pickle
import types
from collections.abc import Sequence
from typing import Any, Protocol

import pytest
from pydantic import BaseModel, ConfigDict

from tests.tools.calling import call
from toolcrib.agent import Agent
from toolcrib.errors import ConfigurationError
from toolcrib.testing import ScriptedModel
from toolcrib.toolbox import Toolbox
from toolcrib.tools.function import FunctionTool, tool
from toolcrib.tools.methods import as_tools, tools_of
from toolcrib.tools.tool import Tool
from toolcrib.tools.toolset import StaticToolset


class Shop:
    def __init__(self, name: str) -> None:
        self.name = name

    @tool
    def charge(self, amount: int) -> str:
        """Charge money.

        Args:
            amount: how much
        """
        return f"{self.name}:{amount}"

    @tool
    async def refund(self, amount: int) -> str:
        return f"{self.name}:-{amount}"

    @classmethod
    @tool
    def currency(cls, code: str) -> str:
        return f"{cls.__name__}:{code}"

    @tool
    @classmethod
    def country(cls, code: str) -> str:
        return f"{cls.__name__}:{code}"

    @staticmethod
    @tool
    def round_up(amount: float) -> int:
        return -int(-amount // 1)

    @tool
    @staticmethod
    def round_down(amount: float) -> int:
        return int(amount // 1)

    @tool
    def odd(this, amount: int) -> str:
        return f"{this.name}:{amount}"

    def helper(self, amount: int) -> int:
        return amount

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shop) and other.name == self.name

    __hash__ = None  # type: ignore[assignment]


class Branch(Shop):
    @tool(name="charge_card")
    def charge(self, amount: int) -> str:
        return f"branch {super().charge(amount)}"

    def odd(this, amount: int) -> str:  # type: ignore[override]
        return "not a tool any more"

    @tool
    def extra(self) -> None: ...


def names(tools: Sequence[object]) -> list[str]:
    return [one.name for one in tools if isinstance(one, Tool)]


def by_name(thing: object) -> dict[str, FunctionTool[..., Any]]:
    return {one.name: one for one in tools_of(thing)}


def test_all_tool_methods_of_an_object_in_the_order_of_the_class() -> None:
    assert names(tools_of(Shop("a"))) == [
        *("charge", "refund", "currency", "country", "round_up", "round_down", "odd")
    ]


def test_a_method_is_called_as_before() -> None:
    assert Shop("a").charge(1) == "a:1"
    assert Shop.charge(Shop("a"), 1) == "a:1"
    assert Shop.currency("EUR") == "Shop:EUR"
    assert Branch.country("FR") == "Branch:FR"
    assert Shop("a").round_up(1.2) == Shop.round_up(1.2) == 2
    assert Shop.round_down(1.8) == 1
    assert Shop("a").odd(3) == "a:3"


def test_the_model_never_sees_self() -> None:
    for one in tools_of(Shop("a")):
        assert list((one.definition.input_schema or {})["properties"]) in (["amount"], ["code"])


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("charge", '{"amount": 3}', "a:3"),
        ("currency", '{"code": "EUR"}', "Shop:EUR"),
        ("country", '{"code": "FR"}', "Shop:FR"),
        ("round_up", '{"amount": 1.5}', 2),
        ("round_down", '{"amount": 1.5}', 1),
        ("odd", '{"amount": 3}', "a:3"),
    ],
)
def test_a_call_reaches_the_object(name: str, text: str, value: object) -> None:
    assert call(by_name(Shop("a"))[name], text) == value


async def test_an_async_method_is_awaited() -> None:
    assert await call(by_name(Shop("a"))["refund"], '{"amount": 3}') == "a:-3"


def test_an_overridden_method_counts_once_in_its_most_derived_version() -> None:
    found = by_name(Branch("b"))
    assert "charge" not in found
    assert call(found["charge_card"], '{"amount": 3}') == "branch b:3"


def test_an_override_that_is_no_tool_takes_the_tool_away() -> None:
    assert "odd" not in by_name(Branch("b"))


def test_an_abstract_tool_implemented_without_the_decorator_is_no_tool() -> None:
    class Interface(abc.ABC):
        @tool
        @abc.abstractmethod
        def it(self) -> None: ...

        @tool
        def ready(self) -> str:
            return "ready"

    class Done(Interface):
        def it(self) -> None: ...

    assert names(tools_of(Done())) == ["ready"]
    with pytest.raises(TypeError, match="abstract"):
        Interface()  # type: ignore[abstract]


def test_methods_of_protocols_and_mixins_count() -> None:
    class Greets(Protocol):
        @tool
        def greet(self) -> str:
            return "hello"

    class Mixin:
        @tool
        def wave(self) -> str:
            return "waves"

    class Person(Mixin, Greets): ...

    assert sorted(names(tools_of(Person()))) == ["greet", "wave"]


def test_two_methods_of_one_tool_name_are_refused_with_both_origins() -> None:
    class Twice:
        @tool(name="it")
        def a(self) -> None: ...

        @tool(name="it")
        def b(self) -> None: ...

    with pytest.raises(ConfigurationError, match=r"Twice\.a.*Twice\.b"):
        tools_of(Twice())


def test_the_same_object_gives_equal_definitions_each_time() -> None:
    shop = Shop("a")
    assert [t.definition for t in tools_of(shop)] == [t.definition for t in tools_of(shop)]


def test_an_object_in_the_list_stands_for_its_tools() -> None:
    assert names(as_tools([Branch("b")])) == names(tools_of(Branch("b")))


def test_a_bound_method_in_the_list_is_one_tool() -> None:
    shop = Shop("a")
    (decorated,) = as_tools([shop.charge])
    (undecorated,) = as_tools([shop.helper])
    (of_class,) = as_tools([Shop.currency])
    assert isinstance(decorated, Tool)
    assert decorated.origin == "method 'tests.tools.test_methods.Shop.charge'"
    assert names([decorated, undecorated, of_class]) == ["charge", "helper", "currency"]


def test_a_method_without_its_object_is_refused() -> None:
    for thing in (Shop.charge, Shop.helper):
        with pytest.raises(ConfigurationError, match="without an object"):
            as_tools([thing])


def test_the_same_thing_twice_counts_once() -> None:
    shop, toolset = Shop("a"), StaticToolset([])

    def f() -> None: ...

    assert names(as_tools([shop, f, shop, f])) == [*names(tools_of(shop)), "f"]
    assert as_tools([toolset, toolset]) == [toolset]


def test_two_things_of_one_name_are_refused_with_both_origins() -> None:
    def charge() -> None: ...

    with pytest.raises(ConfigurationError, match=r"method '.*Shop\.charge'.*function '.*charge'"):
        as_tools([Shop("a"), charge])


def test_an_empty_list_is_fine() -> None:
    assert as_tools([]) == []


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (None, "None is no tool"),
        ("charge", "'charge' is no tool"),
        ({"a": 1}, "'dict' is no tool"),
        (types, "'module' is no tool"),
        (Shop, r"class; pass an object: Shop\(\.\.\.\)"),
        (object(), "no methods decorated with @tool"),
        ([Shop("a")], r"write tools=\[\*those"),
        ((), r"write tools=\[\*those"),
        (5, "no methods decorated with @tool; decorate those that the model may call"),
        (Agent(ScriptedModel()), r"list the tool that its as_tool\(\) gives"),
        (Toolbox([Shop("a")]), "list the tools that it was made of"),
    ],
)
def test_anything_else_in_the_list_is_refused_with_what_to_write(item: Any, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        as_tools([item])


@pytest.mark.parametrize("items", [None, "charge", {"a": 1}, 5, Shop("a")])
def test_tools_must_be_a_list(items: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"tools=\[\.\.\.\]"):
        as_tools(items)


def test_a_pydantic_model_may_have_tools() -> None:
    class Counter(BaseModel):
        model_config = ConfigDict(ignored_types=(FunctionTool,))
        start: int = 1

        @tool
        def count(self, step: int) -> int:
            return self.start + step

    assert call(by_name(Counter())["count"], '{"step": 2}') == 3


def test_a_pydantic_model_without_tools_is_told_so() -> None:
    class Empty(BaseModel):
        start: int = 1

    with pytest.raises(ConfigurationError, match="no methods decorated"):
        as_tools([Empty()])


def test_an_object_without_tools_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no methods decorated"):
        tools_of(object())
    with pytest.raises(ConfigurationError, match="pass an object"):
        tools_of(Shop)


def test_a_bound_tool_pickles_with_its_object() -> None:
    loaded = pickle.loads(pickle.dumps(Shop("a").charge))
    assert call(loaded, '{"amount": 3}') == "a:3"


def test_a_tool_of_a_class_pickles_by_name() -> None:
    for made in (Shop.country, Shop.round_down, Shop.charge):
        assert pickle.loads(pickle.dumps(made)).definition == made.definition


def test_a_class_attribute_that_is_a_tool_belongs_to_the_object_too() -> None:
    def f(a: int) -> int:
        return a

    class Holder:
        it = tool(f)

    assert call(by_name(Holder())["f"], '{"a": 1}') == 1
