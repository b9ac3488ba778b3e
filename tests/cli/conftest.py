"""A folder with tools, and the command line as its users start it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from toolcrib.cli.app import run

SHOP = '''
"""Tools of a small shop."""
import sys
from dataclasses import dataclass
from datetime import date
from typing import Literal

from toolcrib import Agent, Injected, StaticToolset, Toolbox, Toolset, prefixed, tool
from toolcrib.testing import ScriptedModel, call


@tool(effect="read")
def get_price(item: str, count: int = 1, currency: Literal["EUR", "NOK"] = "EUR") -> str:
    """What items cost.

    Args:
        item: The name of the item.
        count: How many of it.
        currency: In which currency.
    """
    return f"{count} {item}: {count * 3} {currency}"


def plain(word: str) -> str:
    """Says a word."""
    return word


@tool
def crash() -> None:
    """Raises."""
    raise RuntimeError("it broke, password=hunter2secret")


@tool
def rings(text: str) -> str:
    """Gives back what a terminal would obey."""
    return "\\x1b[31mred\\x07 \\x1b]0;title\\x07"


@dataclass
class Order:
    day: date
    count: int


@tool
def ordered(order: Order) -> Order:
    """Gives an order back."""
    return order


class Odd:
    def __repr__(self) -> str:
        return "Odd!"


@tool
def odd() -> dict:
    """Gives what JSON cannot say."""
    return {"thing": Odd()}


@tool
def endless() -> list:
    """Gives what holds itself."""
    held = []
    held.append(held)
    return held


class Database:
    name = "orders"


@tool
def from_db(db: Injected[Database]) -> str:
    """Where the orders are."""
    return db.name


DB = Database()
TOOLS = [get_price, crash]
toolset = prefixed(StaticToolset(TOOLS), "shop")
box = Toolbox(TOOLS)


class Till:
    @tool
    def open(self) -> str:
        """Opens the till."""
        return "open"

    @tool
    def close(self) -> str:
        """Closes the till."""
        return "closed"


till = Till()
agent = Agent(ScriptedModel(forever="All sold out."), tools=[get_price, till])
caller = Agent(
    ScriptedModel([call("get_price", {"item": "tea", "count": "2"}), "Six."]), tools=[get_price]
)
number = 7


class Broken:
    @property
    def tools(self):
        raise ValueError("no")


class Moody(Toolset):
    async def tools(self, context):
        return {}["x"]


broken = Broken()
moody = Moody()


def bad(*words):
    return words


BAD = [tool(name="get_thing")(plain), tool(name="getThing")(plain)]
'''

ToolcribRun = Callable[..., "subprocess.CompletedProcess[str] | Ran"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the module `shop`."""
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}
    kept.pop("NO_COLOR", None)
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "TERM": "xterm", "COLUMNS": "80", **more}


@pytest.fixture
def toolcrib(folder: Path) -> ToolcribRun:
    """Runs the command line in the folder, in a process of its own."""

    def run(*arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "toolcrib", *arguments],
            cwd=folder,
            env=environment(**env),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


class Ran(NamedTuple):
    """How a command line ended."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def toolcrib_here(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Ran]]:
    """Runs the command line in the folder in this very process: quicker, for tables of cases."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    before = set(sys.modules)

    def run_here(*arguments: str) -> Ran:
        code = run(list(arguments))
        told = capsys.readouterr()
        return Ran(code, told.out, told.err)

    yield run_here
    for name in {"shop", "slow", "broken"} & (set(sys.modules) - before):
        del sys.modules[name]
