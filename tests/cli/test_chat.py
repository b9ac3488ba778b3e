"""`toolcrib chat`: one question, questions from a pipe, and a conversation at a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.cli.conftest import ToolcribRun, environment
from tests.docs_server import chat_server

SLOW = '''
"""Tools that take their time."""
import asyncio
import threading
from toolcrib import Agent, tool
from toolcrib.testing import ScriptedModel, call, say


@tool
async def wait(minutes: int) -> str:
    """Waits."""
    await asyncio.sleep(60 * minutes)
    return "waited"


def answer(request):
    asked = [one.text for one in request.messages if one.role == "user"]
    if request.messages[-1].role == "user" and asked[-1] == "wait":
        return call("wait", {"minutes": 10})
    if request.messages[-1].role == "user" and asked[-1] in ("block", "resist"):
        return call(asked[-1])
    return say(f"I heard {len(asked)} questions.")


@tool
def block() -> str:
    """Blocks a thread."""
    threading.Event().wait(600)
    return "never"


@tool
async def resist() -> str:
    """Does not want to be cancelled."""
    try:
        await asyncio.sleep(600)
    finally:
        await asyncio.sleep(600)


agent = Agent(ScriptedModel(forever=answer), tools=[wait, block, resist])
'''


@pytest.fixture
def server() -> Iterator[str]:
    with chat_server() as url:
        yield url


def test_a_question_is_answered_with_its_calls_shown(toolcrib: ToolcribRun) -> None:
    ran = toolcrib("chat", "-t", "shop:caller", "Two tea?")
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[0] == '→ get_price {"item": "tea", "count": 2, "currency": "EUR"}'
    assert lines[1].startswith("  ~ count: ")
    assert lines[2].startswith("← get_price: 2 tea: 6 EUR  (")
    assert lines[3:] == ["Six.", "(2 requests)"]


def test_a_model_behind_http_uses_the_tools(toolcrib: ToolcribRun, server: str) -> None:
    ran = toolcrib(
        *("chat", "-m", "openai:test", "--base-url", server, "-t", "shop:get_price", "Price?"),
        OPENAI_API_KEY="not-a-key",
    )
    assert ran.returncode == 0, ran.stderr
    assert "→ get_price" in ran.stdout
    assert "Done." in ran.stdout
    assert "(2 requests, 30 tokens)" in ran.stdout


def test_questions_from_a_pipe_are_one_conversation(toolcrib: ToolcribRun, folder: Path) -> None:
    (folder / "slow.py").write_text(SLOW)
    ran = toolcrib("chat", "-t", "slow:agent", stdin="one\n\ntwo\n")
    assert ran.returncode == 0, ran.stderr
    assert [line for line in ran.stdout.splitlines() if not line.startswith("(")] == [
        "> one",
        "I heard 1 questions.",
        "> two",
        "I heard 2 questions.",
    ]


def test_a_run_that_ends_at_a_limit_fails_and_says_which(
    toolcrib: ToolcribRun, server: str
) -> None:
    ran = toolcrib(
        *("chat", "-m", "openai:test", "--base-url", server, "-t", "shop:get_price", "Price?"),
        *("--limit", "model_calls=1"),
        OPENAI_API_KEY="not-a-key",
    )
    assert ran.returncode == 1
    assert "(stopped: limit:model_calls" in ran.stdout


def test_a_server_that_is_not_there_is_told_without_a_traceback(toolcrib: ToolcribRun) -> None:
    ran = toolcrib(
        *("chat", "-m", "openai:test", "--base-url", "http://127.0.0.1:9/v1", "Hi"),
        *("--key-env", "MY_KEY"),
        MY_KEY="sk-not-a-key-but-secret",
    )
    assert ran.returncode == 1
    assert ran.stdout.startswith("Error: ModelError: ")
    assert len(ran.stdout.splitlines()) == 1
    assert "Traceback" not in ran.stdout + ran.stderr
    assert "sk-not" not in ran.stdout + ran.stderr


def test_a_missing_key_is_told_in_the_words_of_the_command_line(
    toolcrib_here: ToolcribRun,
) -> None:
    ran = toolcrib_here("chat", "-m", "openai:test", "Hi")
    assert (ran.returncode, ran.stdout) == (2, "")
    for words in ("OPENAI_API_KEY", "--key-env", "--base-url"):
        assert words in ran.stderr
    assert "api_key=" not in ran.stderr


class Terminal:
    """The other end of a pseudo-terminal."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self._master = master
        self._process = process
        self._seen = ""

    def send_until(self, text: str, words: str) -> None:
        """Type again and again, until words come."""
        for _ in range(20):
            self.send(text)
            with suppress(AssertionError):
                self.expect(words, seconds=1)
                return
        self.expect(words)

    def expect(self, words: str, seconds: float = 30) -> None:
        """Wait for words; what came up to them is forgotten."""
        deadline = time.monotonic() + seconds
        while words not in self._seen:
            left = deadline - time.monotonic()
            ready, _, _ = select.select([self._master], [], [], max(left, 0))
            if not ready:
                raise AssertionError(f"{words!r} did not come; there is {self._seen!r}")
            try:
                data = os.read(self._master, 65_536)
            except OSError:  # Linux says so when the other end is closed
                raise AssertionError(f"{words!r} did not come; it ended: {self._seen!r}") from None
            self._seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode())
        self._seen = self._seen.partition(words)[2]

    def send(self, text: str) -> None:
        """Type."""
        os.write(self._master, text.encode())

    def end(self) -> int:
        """The exit code."""
        return self._process.wait(timeout=30)


@contextmanager
def terminal(folder: Path, *arguments: str) -> Iterator[Terminal]:
    master, slave = pty.openpty()

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [sys.executable, "-m", "toolcrib", *arguments],
        cwd=folder,
        env=environment(),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        preexec_fn=take_terminal,
    )
    os.close(slave)
    try:
        yield Terminal(master, process)
    finally:
        process.kill()
        process.wait()
        os.close(master)


@pytest.fixture
def slow(folder: Path) -> Path:
    (folder / "slow.py").write_text(SLOW)
    return folder


def test_ctrl_c_cancels_the_run_and_not_the_program(slow: Path) -> None:
    with terminal(slow, "chat", "-t", "slow:agent") as it:
        it.expect("> ")
        it.send("wait\n")
        it.expect('→ wait {"minutes": 10}')
        it.send("\x03")
        it.expect("✗ wait: ")
        it.expect("(stopped: cancelled")
        it.expect("> ")
        it.send("and now?\n")
        it.expect("I heard 2 questions.")
        it.expect("> ")
        it.send("\x04")
        assert it.end() == 0


def test_ctrl_c_at_the_prompt_starts_a_new_line(slow: Path) -> None:
    with terminal(slow, "chat", "-t", "slow:agent") as it:
        it.expect("> ")
        it.send("half a quest")
        it.expect("half a quest")
        # Python loses a Ctrl-C that comes just before it waits for a key: then one presses it again
        it.send_until("\x03", "> ")
        it.send("whole\n")
        it.expect("I heard 1 questions.")
        it.expect("> ")
        it.send("\x04")
        assert it.end() == 0


def test_a_tool_that_blocks_its_thread_is_waited_for_until_the_next_ctrl_c(slow: Path) -> None:
    with terminal(slow, "chat", "-t", "slow:agent") as it:
        it.expect("> ")
        it.send("block\n")
        it.expect("→ block")
        it.send("\x03")
        it.expect("(stopped: cancelled")
        it.expect("> ")
        it.send("\x04")
        it.expect("Ctrl-C leaves at once.")
        it.send("\x03")
        assert it.end() == -signal.SIGINT


def test_a_question_that_is_interrupted_ends_the_program_as_failed(slow: Path) -> None:
    with terminal(slow, "chat", "-t", "slow:agent", "wait") as it:
        it.expect("→ wait")
        it.send("\x03")
        it.expect("(stopped: cancelled")
        assert it.end() == 1


def test_a_second_ctrl_c_ends_the_program(slow: Path) -> None:
    with terminal(slow, "chat", "-t", "slow:agent") as it:
        it.expect("> ")
        it.send("resist\n")
        it.expect("→ resist")
        it.send("\x03")
        it.expect("another Ctrl-C ends the program")
        it.send("\x03")
        assert it.end() == 130


def test_a_model_without_tool_calling_is_prompted(toolcrib: ToolcribRun, server: str) -> None:
    ran = toolcrib(
        *("chat", "-m", "openai:test", "--base-url", server, "--prompted"),
        *("-t", "shop:get_price", "Price?", "--limit", "model_calls=2"),
    )
    assert "← get_price: " in ran.stdout, ran.stderr
    assert "(stopped: limit:model_calls" in ran.stdout


def test_injected_parameters_of_a_conversation_are_filled(
    toolcrib: ToolcribRun, server: str
) -> None:
    ran = toolcrib(
        *("chat", "-m", "openai:test", "--base-url", server, "-t", "shop:from_db", "Where?"),
        *("--deps", "shop:DB"),
    )
    assert ran.returncode == 0, ran.stderr
    assert "← from_db: orders" in ran.stdout
