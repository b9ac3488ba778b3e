"""Every Python program in README.md and docs/ runs as it is printed.

A page is one program: its blocks run in order in one namespace, in an empty folder. Models that are
named by a string such as `"openai:…"` reach a loopback server (see `docs_server.py`) instead of a
provider; no other address can be reached. Top-level `await` works, as in a notebook. A block opened
with ```` ```python no-run ```` is only compiled.
"""

import ast
import asyncio
import inspect
import re
import socket
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.docs_server import chat_server, sample

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCE = re.compile(r"^(?P<indent> *)```python(?P<flags>[^\n]*)\n(?P<code>.*?)^ *```", re.M | re.S)


class Block(NamedTuple):
    line: int
    run: bool
    code: str


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        code = inspect.cleandoc("\n" + match["code"]) if match["indent"] else match["code"]
        found.append(Block(line, "no-run" not in match["flags"].split(), code))
    return found


def compiled(page: Path, block: Block) -> types.CodeType:
    # Blank lines in front, so that a traceback names the line of the page.
    source = "\n" * (block.line - 1) + block.code
    code = compile(source, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert isinstance(code, types.CodeType)
    return code


with_code = pytest.mark.parametrize(
    "page", [pytest.param(p, id=p.relative_to(ROOT).as_posix()) for p in PAGES if blocks(p)]
)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """An empty folder, keys that are none, a model behind loopback, and no way out of this machine."""
    connect = socket.socket.connect

    def stay_here(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in (
            "127.0.0.1",
            "::1",
        ):
            raise ConnectionRefusedError(f"a program in the docs wants to reach {address[0]}")
        connect(self, address)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket.socket, "connect", stay_here)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with chat_server() as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        yield


@with_code
@pytest.mark.usefixtures("provider")
def test_the_programs_of_a_page_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A module of its own, so that annotations resolve and what it defines can be pickled.
    module = types.ModuleType("docs_page")
    monkeypatch.setitem(sys.modules, "docs_page", module)
    with asyncio.Runner() as runner:
        for block in blocks(page):
            code = compiled(page, block)
            if not block.run:
                continue
            waiting = eval(code, module.__dict__)
            if inspect.iscoroutine(waiting):
                runner.run(waiting)


def test_links_between_the_pages_lead_somewhere() -> None:
    dead = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in [*PAGES, *ROOT.glob("*.md")]
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not dead


def test_a_sample_fits_the_schema_it_was_made_from() -> None:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 3},
            "unit": {"$ref": "#/$defs/Unit"},
            "more": {"type": "string"},
        },
        "required": ["city", "days", "unit"],
        "$defs": {"Unit": {"enum": ["c", "f"]}},
    }
    assert sample(schema) == {"city": "Oslo", "days": 3, "unit": "c"}
