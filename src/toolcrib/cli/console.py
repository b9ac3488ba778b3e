"""How the command line prints: answers to stdout, everything else to stderr, no control characters."""

from __future__ import annotations

import json
import re
from typing import Any

from rich.console import Console
from rich.text import Text

__all__ = ["Screen", "UsageProblem", "one_line", "plain", "shortened"]

# what a model or a tool wrote must not move the cursor, ring, or rename the window
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class UsageProblem(Exception):
    """The command line was used wrongly; told without a traceback, exit code 2."""


def plain(text: str) -> str:
    """`text` without what a terminal would obey; other scripts and line ends stay."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`text` on one line."""
    return " ".join(plain(text).split())


def shortened(text: str, most: int) -> str:
    """The beginning of `text`, and how much is left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most} more characters)"


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Screen:
    """Prints plain text in styles; without colours when `NO_COLOR` is set or nobody looks."""

    def __init__(self) -> None:
        self._out = _Console(soft_wrap=True, highlight=False, emoji=False, markup=False)
        self._err = _Console(
            soft_wrap=True, highlight=False, emoji=False, markup=False, stderr=True
        )

    @property
    def is_terminal(self) -> bool:
        """Whether somebody reads along."""
        return self._out.is_terminal

    def say(self, text: str = "", style: str = "", *, end: str = "\n") -> None:
        """Print to stdout."""
        self._out.print(Text(plain(text), style), end=end)

    def say_pieces(self, *pieces: tuple[str, str]) -> None:
        """Print one line of texts, each in its style, to stdout."""
        self._out.print(Text.assemble(*((plain(text), style) for text, style in pieces)))

    def note(self, text: str, style: str = "") -> None:
        """Print to stderr."""
        self._err.print(Text(plain(text), style))

    def json(self, data: Any) -> None:
        """Print JSON to stdout, as it is: for programs."""
        # ASCII: escapes are safe in any terminal and any encoding
        self._out.out(json.dumps(data, indent=2), highlight=False)
