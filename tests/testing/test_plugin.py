"""The pytest plugin, seen from a project that has toolcrib installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
from toolcrib.chat import ChatRequest

async def ask(model):
    return [item async for item in model.reply(ChatRequest(()))][-1].message.text

def run(model):
    import asyncio
    return asyncio.run(ask(model))
"""


def pytest_in(folder: Path, test: str, *flags: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(SCRIPT + test)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *flags],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_script_that_was_used_up_passes(tmp_path: Path) -> None:
    ran = pytest_in(
        tmp_path,
        "def test_it(scripted_model):\n    assert run(scripted_model(['Hello'])) == 'Hello'\n",
    )
    assert ran.returncode == 0, ran.stdout


def test_unused_steps_fail_the_test_without_a_check(tmp_path: Path) -> None:
    ran = pytest_in(
        tmp_path,
        "def test_it(scripted_model):\n    run(scripted_model(['Hello', 'never asked']))\n",
    )
    assert ran.returncode == 1
    assert "2 steps, and 1 were asked for" in ran.stdout
