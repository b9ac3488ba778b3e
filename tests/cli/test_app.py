"""The command line as a whole: help, version, exit codes, and errors without tracebacks."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import toolcrib as package
from tests.cli.conftest import ToolcribRun, environment
from toolcrib.cli.app import build
from toolcrib.cli.chat import chat
from toolcrib.cli.tools_call import call_tool
from toolcrib.cli.tools_check import check_tools
from toolcrib.cli.tools_list import list_tools
from toolcrib.cli.tools_show import show_tools


@pytest.mark.parametrize(
    "verb",
    [
        (),
        ("chat",),
        ("tools",),
        ("tools", "list"),
        ("tools", "show"),
        ("tools", "call"),
        ("tools", "check"),
        ("version",),
    ],
    ids=" ".join,
)
def test_help_is_everywhere(toolcrib_here: ToolcribRun, verb: tuple[str, ...]) -> None:
    ran = toolcrib_here(*verb, "--help")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("Usage: toolcrib")


@pytest.mark.parametrize(
    "verb", [("chat",), ("tools", "list"), ("tools", "call"), ("tools", "check")]
)
def test_help_shows_examples(toolcrib_here: ToolcribRun, verb: tuple[str, ...]) -> None:
    example = f"toolcrib {' '.join(verb)} "
    lines = [line.strip() for line in toolcrib_here(*verb, "--help").stdout.splitlines()]
    assert [line for line in lines if example in line and not line.startswith("Usage")]


def test_the_help_tells_the_exit_codes(toolcrib_here: ToolcribRun) -> None:
    assert "Exit codes: 0 all is well" in toolcrib_here("--help").stdout


def test_the_version_is_told(toolcrib: ToolcribRun, toolcrib_here: ToolcribRun) -> None:
    assert toolcrib("version").stdout.startswith(f"toolcrib {package.__version__} (Python 3.")
    assert toolcrib_here("--version").stdout.strip() == package.__version__


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "nonsense"),
        (["tools", "list"], "TARGET"),
        (["tools", "list", "--nonsense", "shop:TOOLS"], "--nonsense"),
        (["tools", "list", "shop"], "write MODULE:THING"),
        (["tools", "list", ":TOOLS"], "write MODULE:THING"),
        (["tools", "list", "shop.py:TOOLS"], "name the module: shop:TOOLS"),
        (["tools", "list", "shopp:TOOLS"], "no module 'shopp'"),
        (["tools", "list", "shop:TOOL"], "Did you mean TOOLS?"),
        (["tools", "list", "shop:till.opn"], "has no 'opn'. Did you mean open?"),
        (["tools", "list", "shop:number"], "shop:number: "),
        (
            ["tools", "list", "shop:broken.tools"],
            "Reading 'tools' of 'shop' failed: ValueError: no",
        ),
        (["tools", "list", "shop:moody"], "Asking shop:moody for its tools failed: KeyError: 'x'"),
        (["tools", "list", "shop:Till"], "pass an object"),
        (["tools", "list", "shop:bad"], "shop:bad: "),
        (["tools", "show", "shop:TOOLS", "get_prize"], "no tool 'get_prize'; it has get_price"),
        (
            ["tools", "call", "shop:TOOLS", "get_prize", "{}"],
            "no tool 'get_prize'; it has get_price",
        ),
        (["chat"], "Name a model"),
        (["chat", "-t", "shop:TOOLS"], "Name a model"),
        (["chat", "-t", "shop:agent", "--system", "x"], "name a model too"),
        (["chat", "-m", "openai:x", "--key-env", "NOT_SET"], "'NOT_SET' is not set"),
        (["chat", "-m", "openai:x", "--limit", "calls=3"], "there are model_calls, tool_calls"),
        (["chat", "-m", "openai:x", "--limit", "seconds=soon"], "write a number"),
        (["chat", "-m", "openai:x", "--limit", "seconds=-1"], "at least 0"),
        (["chat", "-m", "nonsense:x"], "nonsense"),
    ],
)
def test_wrong_use_is_told_without_a_traceback(
    toolcrib_here: ToolcribRun, arguments: list[str], words: str
) -> None:
    ran = toolcrib_here(*arguments)
    assert ran.returncode == 2
    assert words.casefold() in " ".join(ran.stderr.split()).casefold()
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "x = 1\nfoo()\n",
            "NameError: name 'foo' is not defined (",
        ),
        ("x = (\n", "SyntaxError"),
        ("import nowhere_at_all\n", "No module named 'nowhere_at_all'"),
        ("raise SystemExit('bye')\n", "SystemExit: bye"),
    ],
)
def test_a_module_that_does_not_load_is_told_with_its_place(
    toolcrib_here: ToolcribRun, folder: Path, source: str, words: str
) -> None:
    (folder / "broken.py").write_text(source)
    ran = toolcrib_here("tools", "list", "broken:x")
    assert ran.returncode == 2
    told = " ".join(ran.stderr.split())
    assert "Importing 'broken' failed" in told
    assert words in told
    assert "broken.py" in told
    assert "Traceback" not in told


def test_without_the_extra_the_hint_says_how_to_install_it(folder: Path) -> None:
    code = (
        "import sys; sys.modules['cyclopts'] = None; sys.argv = ['toolcrib']\n"
        "from toolcrib.__main__ import main; sys.exit(main())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=60
    )
    assert ran.returncode == 2
    assert "pip install 'toolcrib[cli]'" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_reader_that_leaves_is_no_error(folder: Path) -> None:
    command = f"'{sys.executable}' -m toolcrib tools show shop:TOOLS --json | true"
    ran = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_completion_is_offered_for_the_usual_shells() -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "toolcrib" in build().generate_completion(shell=shell)


def test_examples_fit_a_terminal() -> None:
    for verb in (chat, list_tools, show_tools, call_tool, check_tools):
        lines = inspect.cleandoc(verb.__doc__ or "").splitlines()
        assert [line for line in lines if line.startswith("  ") and len(line) > 80] == []
