"""What importing the face costs and does: nothing heavy, nothing global."""

import json
import subprocess
import sys

import pytest

HEAVY = (
    "anthropic",
    "anyio",
    "asyncio",
    "dbos",
    "docstring_parser",
    "httpx2",
    "mcp",
    "numpy",
    "openai",
    "opentelemetry",
    "rich",
    "ssl",
    "stamina",
)

PROBE = """
import json, logging, sys, warnings
root = logging.getLogger()
before = (list(warnings.filters), list(root.handlers), root.level, logging.raiseExceptions)
from toolcrib import tool, Toolbox, Agent
after = (list(warnings.filters), list(root.handlers), root.level, logging.raiseExceptions)
loggers = [
    name
    for name, logger in logging.Logger.manager.loggerDict.items()
    if name.split(".")[0] == "toolcrib"
    and isinstance(logger, logging.Logger)
    and (logger.level or any(not isinstance(h, logging.NullHandler) for h in logger.handlers))
]
print(json.dumps(dict(modules=sorted(sys.modules), same=before == after, loggers=loggers)))
"""


@pytest.fixture(scope="module")
def face() -> dict[str, object]:
    """What a fresh interpreter tells after it has imported the face."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROBE],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told: dict[str, object] = json.loads(run.stdout)
    return told


@pytest.mark.parametrize("package", HEAVY)
def test_the_face_loads_nothing_heavy(face: dict[str, object], package: str) -> None:
    modules = face["modules"]
    assert isinstance(modules, list)
    assert package not in {name.split(".")[0] for name in modules}


def test_the_face_changes_neither_warnings_nor_logging(face: dict[str, object]) -> None:
    assert face["same"] is True


def test_the_library_is_silent_until_somebody_listens(face: dict[str, object]) -> None:
    assert face["loggers"] == []
