"""`toolcrib tools check`: a lint for tools."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Annotated

from cyclopts import Parameter

from toolcrib.cli.console import Screen
from toolcrib.cli.lint import Finding, lint
from toolcrib.cli.target import listed_tools

__all__ = ["check_tools"]

_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


def check_tools(
    *target: Annotated[str, Parameter(help="MODULE:THING, one or more.", required=True)],
    strict: Annotated[bool, Parameter(help="Warnings count as errors.")] = False,
    json: Annotated[bool, Parameter(help="Print findings as JSON.")] = False,
) -> int:
    """Look for what will make models or providers stumble. Exit code 1 when there is an error.

    Errors are what a model cannot work with, or a provider refuses; warnings are what often goes
    wrong; notes are worth a thought and never fail.

    Examples:
      toolcrib tools check shop.tools:TOOLS
      toolcrib tools check shop:agent --strict --json
    """
    screen = Screen()
    tools = [one.tool for one in listed_tools(target)]
    findings = lint(tools)
    if json:
        screen.json([dataclasses.asdict(finding) for finding in findings])
    else:
        _print(screen, findings, len(tools))
    failing = ("error", "warning") if strict else ("error",)
    return int(any(finding.level in failing for finding in findings))


def _print(screen: Screen, findings: list[Finding], count: int) -> None:
    for finding in findings:
        screen.say_pieces(
            (f"{finding.level}: ", _STYLES[finding.level]),
            (f"{finding.tool}: " if finding.tool else "", "bold"),
            (finding.text, ""),
            (f"  [{finding.rule}]", "dim"),
        )
    counts = Counter(finding.level for finding in findings)
    found = ", ".join(f"{number} {level}{'s' * (number > 1)}" for level, number in counts.items())
    screen.say(f"{count} tool{'s' * (count != 1)} checked: {found or 'nothing found'}.")
