"""The pytest plugin, seen from a project that has toolcrib installed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

from toolcrib.testing import plugin

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
    # nobody else's plugins: this one is loaded by name
    command = [sys.executable, "-m", "pytest", "-q", "-p", "toolcrib.testing.plugin", *flags]
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"},
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


def test_a_test_that_failed_is_not_blamed_for_unused_steps_too(tmp_path: Path) -> None:
    ran = pytest_in(
        tmp_path,
        "def test_it(scripted_model):\n    scripted_model(['never asked'])\n    assert 1 == 2\n",
    )
    assert ran.returncode == 1
    assert "assert 1 == 2" in ran.stdout
    assert "never asked" not in ran.stdout.partition("short test summary")[2]
    assert "1 failed" in ran.stdout
    assert "error" not in ran.stdout.splitlines()[-1]


RECORDED = """
from toolcrib.testing import ScriptedModel

def test_it(cassette):
    def real():
        print("asked the real model")
        return ScriptedModel(["Hello"])
    assert run(cassette(real)) == "Hello"
"""


def test_a_cassette_is_recorded_with_the_flag_and_replayed_without(tmp_path: Path) -> None:
    missing = pytest_in(tmp_path, RECORDED)
    assert missing.returncode == 1
    assert "--toolcrib-record" in missing.stdout

    recorded = pytest_in(tmp_path, RECORDED, "--toolcrib-record", "-s")
    assert recorded.returncode == 0, recorded.stdout
    assert "asked the real model" in recorded.stdout
    assert (tmp_path / "cassettes" / "test_it" / "test_it.json").is_file()

    replayed = pytest_in(tmp_path, RECORDED, "-s")
    assert replayed.returncode == 0, replayed.stdout
    assert "asked the real model" not in replayed.stdout


def test_answers_that_a_test_did_not_ask_for_fail_it(tmp_path: Path) -> None:
    pytest_in(tmp_path, RECORDED, "--toolcrib-record")
    lazy = "def test_it(cassette):\n    cassette(None)\n"
    ran = pytest_in(tmp_path, lazy)
    assert ran.returncode == 1
    assert "were not asked for" in ran.stdout


GUARDED = """
import asyncio

import httpx2
import pytest

from toolcrib import Agent
from toolcrib.models import OpenAIChat
from toolcrib.testing import RealRequest

async def send():
    async with httpx2.AsyncClient() as client:
        await client.get("http://127.0.0.1:9/v1?key=secret")

def test_async(no_model_requests):
    with pytest.raises(RealRequest, match="'127.0.0.1' .*ScriptedModel"):
        asyncio.run(send())

def test_sync(no_model_requests):
    with pytest.raises(RealRequest):
        httpx2.get("http://127.0.0.1:9/")

def test_agents(no_model_requests):
    agent = Agent(OpenAIChat("x", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(RealRequest):
        agent.run_sync("Hi")

def test_the_guard_ends_with_its_test():
    with pytest.raises(httpx2.ConnectError):
        asyncio.run(send())
"""


def test_the_guard_refuses_real_requests(tmp_path: Path) -> None:
    ran = pytest_in(tmp_path, GUARDED)
    assert ran.returncode == 0, ran.stdout


def test_loading_the_plugin_loads_no_http_library() -> None:
    heavy = {"httpx2", "rich", "cyclopts", "stamina"}
    code = f"import sys, toolcrib.testing.plugin; print({heavy} & set(sys.modules) or 'none')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "none\n", ran.stderr


def test_pytest_finds_the_plugin_by_itself() -> None:
    (found,) = entry_points(group="pytest11", name="toolcrib")
    assert found.load() is plugin
