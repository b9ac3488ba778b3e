"""Docstrings: what is said of the function, and what is said of each parameter."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Documentation", "read_docstring"]

Style: TypeAlias = Literal["google", "numpy", "sphinx"]

_GOOGLE = re.compile(
    r"(Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Other Parameters)\s*:\s*$"
)
_NUMPY = re.compile(r"(Parameters|Other Parameters)\s*$")
_UNDERLINE = re.compile(r"-{3,}\s*$")
_SPHINX = re.compile(r":(param|parameter|arg|argument|key|keyword|type)\s+[^:]+:")
_HINT = re.compile(
    r"^\s*(?:[^\n]*(?:arg|param)[^\n]*:|:(?:key|type)|(?:other )?parameters)", re.I | re.M
)
_WORD = re.compile(r"\w+")


class Documentation(NamedTuple):
    """A docstring taken apart."""

    description: str | None
    """Everything but what is said of parameters."""
    parameters: dict[str, str]


@dataclass(slots=True)
class _Blocks:
    """The lines of a docstring, sorted."""

    rest: list[str] = field(default_factory=list)
    found: list[tuple[Style, list[str], int]] = field(default_factory=list)
    """Style, lines, and the place in `rest` where they stood."""


def read_docstring(text: str | None, names: Collection[str]) -> Documentation:
    """Take a Google, NumPy or Sphinx docstring apart. `names` are all parameters of the function.

    Text that cannot be told to belong to one of `names` stays in the description: nothing is lost.
    """
    if not text:
        return Documentation(None, {})
    # A first line counts as text, whatever it is indented; a heading must not.
    first = text.lstrip().split("\n", 1)[0]
    text = inspect.cleandoc(f"\n{text}" if _GOOGLE.match(first) else text).strip()
    if not _HINT.search(text):
        return Documentation(text or None, {})
    blocks = _split(text.split("\n"))
    parameters: dict[str, str] = {}
    rest = blocks.rest
    # From the back, so that the places of the blocks before stay right.
    for style, lines, place in reversed(blocks.found):
        entries, kept = _read_block(style, lines, names)
        rest[place:place] = kept
        parameters = {**entries, **parameters}
    description = re.sub(r"\n{3,}", "\n\n", "\n".join(rest)).strip()
    ordered = {name: parameters[name] for name in names if name in parameters}
    return Documentation(description or None, ordered)


def _split(lines: list[str]) -> _Blocks:
    blocks = _Blocks()
    at = 0
    while at < len(lines):
        style, end = _block_at(lines, at)
        if style is None:
            blocks.rest.append(lines[at])
            at += 1
        else:
            blocks.found.append((style, lines[at:end], len(blocks.rest)))
            at = end
    return blocks


def _block_at(lines: list[str], at: int) -> tuple[Style | None, int]:
    """The style of the parameter block that begins at a line, and the line after its end."""
    line = lines[at]
    if not line or line[0] in " \t":  # no heading; this is most lines
        return None, at
    following = lines[at + 1] if at + 1 < len(lines) else ""
    if _GOOGLE.match(line) and (following.startswith((" ", "\t"))):
        return "google", _end_of_indented(lines, at + 1)
    if _NUMPY.match(line) and _UNDERLINE.match(following):
        end = at + 2
        while end < len(lines) and not (
            lines[end].strip() and end + 1 < len(lines) and _UNDERLINE.match(lines[end + 1])
        ):
            end += 1
        return "numpy", end
    if _SPHINX.match(line):
        end = at
        while end < len(lines) and _SPHINX.match(lines[end]):
            end = _end_of_indented(lines, end + 1)
        return "sphinx", end
    return None, at


def _end_of_indented(lines: list[str], at: int) -> int:
    end = at
    while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t"):
        at += 1
        if lines[at - 1].strip():
            end = at
    return end


def _read_block(
    style: Style, lines: list[str], names: Collection[str]
) -> tuple[dict[str, str], list[str]]:
    """What a block says of `names`, and the lines to keep because they say something else."""
    entries = _plain_google(lines[1:]) if style == "google" else None
    if entries is not None:
        return _sorted_out(entries, names)
    entries = _parse(style, "\n".join(lines))
    if entries is None or _lost_words(lines, entries):
        return _said(entries or (), names), lines
    return _sorted_out(entries, names)


def _sorted_out(entries: list[_Entry], names: Collection[str]) -> tuple[dict[str, str], list[str]]:
    strangers = [entry for entry in entries if not any(n in names for n in entry.names)]
    kept = [f"{', '.join(one.names)}: {one.text}" for one in strangers if one.text]
    return _said(entries, names), kept


class _Entry(NamedTuple):
    names: tuple[str, ...]
    text: str
    type_words: str


def _said(entries: Iterable[_Entry], names: Collection[str]) -> dict[str, str]:
    return {name: one.text for one in entries for name in one.names if name in names and one.text}


_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^()]*\))?\s*:(.*)")


def _plain_google(lines: list[str]) -> list[_Entry] | None:
    """The entries of a block in the usual form; None when anything about it is unusual.

    Most docstrings are like this, and a large catalogue has many of them.
    """
    found: list[tuple[str, list[str]]] = []
    margin = len(lines[0]) - len(lines[0].lstrip())
    for line in lines:
        text = line.strip()
        if not text:
            if found:
                found[-1][1].append("")
        elif len(line) - len(line.lstrip()) > margin and found:
            found[-1][1].append(line[margin:])
        elif (entry := _ENTRY.fullmatch(line, margin)) is None:
            return None
        else:
            found.append((entry[1], [entry[2]]))
    return [_Entry((name,), _joined(text), "") for name, text in found]


def _joined(lines: list[str]) -> str:
    return lines[0].strip() if len(lines) == 1 else inspect.cleandoc("\n".join(lines))


def _parse(style: Style, block: str) -> list[_Entry] | None:
    # Loaded here because most programs start without needing it.
    from docstring_parser import ParseError, google, numpydoc, rest

    if style == "google":
        block = "Args:" + block[block.index("\n") :]  # the one heading that is always known
    parse = {"google": google.parse, "numpy": numpydoc.parse, "sphinx": rest.parse}[style]
    try:
        # The blank line keeps the parser from taking the first line's indentation for the block's.
        found = parse(f"\n{block}").params
    except ParseError:
        return None
    return [
        _Entry(
            tuple(name.strip().lstrip("*\\") for name in one.arg_name.split(",")),
            (one.description or "").strip(),
            f"{one.type_name or ''} {one.default or ''}",
        )
        for one in found
    ]


def _lost_words(lines: list[str], entries: list[_Entry]) -> bool:
    """Whether the parser dropped words of the block that are neither markup nor types."""
    words = Counter(_WORD.findall("\n".join(lines)))
    for entry in entries:
        words -= Counter(_WORD.findall(" ".join((*entry.names, entry.text, entry.type_words))))
    return bool(set(words) - _MARKUP - {name for one in entries for name in one.names})


_MARKUP = {
    *("Args", "Arguments", "Parameters", "Params", "Keyword", "Other", "optional", "default"),
    *("param", "parameter", "arg", "argument", "key", "keyword", "type"),
}
