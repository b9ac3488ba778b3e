"""`toolcrib tools`: what is listed, shown, called and checked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ToolcribRun, environment
from toolcrib.tools.definition import ToolDefinition


@pytest.mark.parametrize(
    ("thing", "names"),
    [
        ("get_price", ["get_price"]),
        ("plain", ["plain"]),
        ("TOOLS", ["get_price", "crash"]),
        ("till", ["open", "close"]),
        ("till.open", ["open"]),
        ("toolset", ["shop_get_price", "shop_crash"]),
        ("box", ["get_price", "crash"]),
        ("agent", ["get_price", "open", "close"]),
    ],
)
def test_anything_with_tools_is_listed(
    toolcrib_here: ToolcribRun, thing: str, names: list[str]
) -> None:
    ran = toolcrib_here("tools", "list", f"shop:{thing}", "--json")
    assert ran.returncode == 0, ran.stderr
    listed = [ToolDefinition.from_dict(one) for one in json.loads(ran.stdout)]
    assert [one.name for one in listed] == names


def test_a_list_says_what_tools_take_and_are_for(toolcrib_here: ToolcribRun) -> None:
    ran = toolcrib_here("tools", "list", "shop:TOOLS", "shop:till")
    assert ran.stdout.splitlines() == [
        "get_price(item: string, count?: integer, currency?: EUR|NOK)  [read]",
        "    What items cost.",
        "crash()",
        "    Raises.",
        "open()",
        "    Opens the till.",
        "close()",
        "    Closes the till.",
    ]


def test_a_tool_is_shown_in_full(toolcrib_here: ToolcribRun) -> None:
    shown = toolcrib_here("tools", "show", "shop:TOOLS", "get_price").stdout
    for words in (
        "What items cost.",
        "shop",
        "- count: integer = 1  (optional)",
        "How many of it.",
    ):
        assert words in shown
    assert "crash" not in shown
    assert "effect='read'" in shown


def test_a_call_prints_what_the_model_is_told_and_what_was_repaired(toolcrib: ToolcribRun) -> None:
    ran = toolcrib("tools", "call", "shop:TOOLS", "get_price", '{"item": "tea", "count": "2"}')
    assert (ran.returncode, ran.stdout) == (0, "2 tea: 6 EUR\n")
    assert "repaired: count" in ran.stderr


def test_arguments_may_come_from_stdin(toolcrib: ToolcribRun) -> None:
    ran = toolcrib("tools", "call", "shop:plain", "plain", "-", stdin='{"word": "grüße"}')
    assert (ran.returncode, ran.stdout) == (0, "grüße\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("{}", "item"),
        ('{"item": ', "JSON"),
        ('{"item": "tea", "count": "many"}', "count"),
    ],
)
def test_a_call_that_fails_says_what_the_model_is_told(
    toolcrib_here: ToolcribRun, arguments: str, words: str
) -> None:
    ran = toolcrib_here("tools", "call", "shop:TOOLS", "get_price", arguments)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_call_is_told_as_json_to_programs(toolcrib_here: ToolcribRun) -> None:
    told = json.loads(toolcrib_here("tools", "call", "shop:crash", "crash", "--json").stdout)
    assert told["fault"] == "execution"
    assert told["is_error"] is True
    assert "hunter2secret" not in json.dumps(told)


def test_a_call_as_json_holds_validated_arguments_and_the_value(toolcrib_here: ToolcribRun) -> None:
    ran = toolcrib_here(
        *("tools", "call", "shop:ordered", "ordered", "--json"),
        '{"order": {"day": "2026-12-01", "count": "2"}}',
    )
    told = json.loads(ran.stdout)
    assert told["arguments"] == {"order": {"day": "2026-12-01", "count": 2}}
    assert told["value"] == {"day": "2026-12-01", "count": 2}
    assert told["state"] == "committed"


def test_a_value_that_json_cannot_say_is_shown_as_python_does(toolcrib_here: ToolcribRun) -> None:
    ran = toolcrib_here("tools", "call", "shop:odd", "odd", "--json")
    assert json.loads(ran.stdout)["value"] == {"thing": "Odd!"}


def test_a_value_that_holds_itself_is_told_by_its_type(toolcrib_here: ToolcribRun) -> None:
    ran = toolcrib_here("tools", "call", "shop:endless", "endless", "--json")
    assert json.loads(ran.stdout)["value"] == "<list that cannot be written as JSON>"


def test_injected_parameters_are_filled_from_a_thing(toolcrib_here: ToolcribRun) -> None:
    ran = toolcrib_here("tools", "call", "shop:from_db", "from_db", "--deps", "shop:DB")
    assert (ran.returncode, ran.stdout) == (0, "orders\n"), ran.stderr


def test_a_result_cannot_command_the_terminal(toolcrib_here: ToolcribRun) -> None:
    ran = toolcrib_here("tools", "call", "shop:rings", "rings", '{"text": "x"}')
    assert "\x1b" not in ran.stdout
    assert "\x07" not in ran.stdout
    assert "red" in ran.stdout


def test_a_check_fails_on_errors(toolcrib: ToolcribRun) -> None:
    ran = toolcrib("tools", "check", "shop:BAD")
    assert ran.returncode == 1
    assert (
        "error: 'get_thing' and 'getThing' differ in spelling only  [ambiguous-names]" in ran.stdout
    )
    assert "2 tools checked: " in ran.stdout


@pytest.mark.parametrize(("flags", "code"), [((), 0), (("--strict",), 1)])
def test_a_check_fails_on_warnings_only_when_strict(
    toolcrib_here: ToolcribRun, flags: tuple[str, ...], code: int
) -> None:
    ran = toolcrib_here("tools", "check", "shop:plain", "--json", *flags)
    assert ran.returncode == code
    assert [one["rule"] for one in json.loads(ran.stdout)] == ["no-parameter-description"]


def test_a_check_without_findings_says_so(toolcrib_here: ToolcribRun) -> None:
    ran = toolcrib_here("tools", "check", "shop:get_price", "--strict")
    assert (ran.returncode, ran.stdout) == (0, "1 tool checked: nothing found.\n")


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_for_terminals_and_can_be_switched_off(
    folder: Path, env: dict[str, str], coloured: bool
) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "toolcrib", "tools", "list", "shop:TOOLS"],
        cwd=folder,
        env=environment(FORCE_COLOR="1", **env),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ("\x1b[" in ran.stdout and "36m" in ran.stdout) is coloured
