"""Where the recorded cases lie: `TOOLCRIB_CASES`, else the folder beside the checkout."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CASES = Path(
    os.environ.get("TOOLCRIB_CASES") or Path(__file__).resolve().parents[2] / "shared" / "cases"
)


def rows(*patterns: str) -> list[dict[str, Any]]:
    """All JSON lines of the files that match, in a stable order."""
    return [json.loads(line) for path in files(*patterns) for line in _lines(path)]


def files(*patterns: str) -> list[Path]:
    """All files below the folder that match."""
    return sorted(path for pattern in patterns for path in CASES.glob(pattern))


def params(items: list[dict[str, Any]]) -> list[Any]:
    """For `parametrize`: one test a row, or one skipped test when the folder has none."""
    if not items:
        return [pytest.param(None, marks=[pytest.mark.cases, pytest.mark.skip("no such cases")])]
    return [pytest.param(item, id=str(item["id"]), marks=pytest.mark.cases) for item in items]


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as lines:
        yield from (line for line in lines if line.strip())
