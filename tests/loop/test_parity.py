"""docs/parity.md names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
NAMED = sorted(
    set(re.findall(r"`([\w/]+\.py)::(\w+)`", (TESTS.parent / "docs/parity.md").read_text("utf-8")))
)


def test_the_page_names_many_tests() -> None:
    assert len(NAMED) > 100


@pytest.mark.parametrize("file", sorted({file for file, _ in NAMED}))
def test_every_test_that_the_page_names_exists(file: str) -> None:
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    there = {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert [name for named, name in NAMED if named == file and name not in there] == []
