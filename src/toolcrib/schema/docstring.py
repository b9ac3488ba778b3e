"""Docstrings: what is said of the function, and what is said of each parameter."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection
from dataclasses import field
from typing import Literal, NamedTuple, TypeAlias

from toolcrib.lazy import lazy_pattern
from toolcrib.values import record

__all__ = ["Documentation", "read_docstring"]

Style: TypeAlias = Literal["google", "numpy", "sphinx"]

_GOOGLE = lazy_pattern(
    r"(Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Other Parameters)\s*:\s*$"
)
_NUMPY = lazy_pattern(r"(Parameters|Other Parameters)\s*$")
_UNDERLINE = lazy_pattern(r"-{3,}\s*$")
_SPHINX = lazy_pattern(r":(param|parameter|arg|argument|key|keyword|type)\s+[^:]+:")
_HINTS = ("arg", "param", ":key", ":type")
_GAP = lazy_pattern(r"\n{3,}")
_WORD = lazy_pattern(r"\w+")


class Documentation(NamedTuple):
    """A docstring taken apart."""

    description: str | None
    """Everything but what is said of parameters."""
    parameters: dict[str, str]


@record
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
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return Documentation(text or None, {})
    blocks = _split(text.split("\n"))
    said: dict[str, list[str]] = {}
    kept: list[tuple[int, list[str]]] = []
    for style, lines, place in blocks.found:
        kept.append((place, _read_block(style, lines, names, said)))
    rest = blocks.rest
    for place, lines in reversed(kept):  # so that the places before stay right
        rest[place:place] = lines
    description = _GAP.sub("\n\n", "\n".join(rest)).strip()
    parameters = {name: "\n".join(said[name]) for name in names if name in said}
    return Documentation(description or None, parameters)


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
    style: Style, lines: list[str], names: Collection[str], said: dict[str, list[str]]
) -> list[str]:
    """Add what a block says of `names` to `said`; give back what it says of anything else."""
    entries = _plain_google(lines[1:]) if style == "google" else None
    lossless = True
    if entries is None:
        entries = _parse(style, "\n".join(lines))
        lossless = not _lost_words(lines, entries)
    strangers = []
    for entry in entries:
        known = [name for name in entry.names if name in names]
        lossless = lossless and len(known) in (0, len(entry.names))
        if not known:
            strangers.append(f"{', '.join(entry.names)}: {entry.text}".rstrip())
        for name in known if entry.text else ():
            said.setdefault(name, []).append(entry.text)
    return strangers if lossless else lines


class _Entry(NamedTuple):
    names: tuple[str, ...]
    text: str
    type_words: str


_ENTRY = lazy_pattern(r"\*{0,2}(\w+)\s*(?:\([^()]*\))?\s*:(.*)")


def _plain_google(lines: list[str]) -> list[_Entry] | None:
    """The entries of a block in the usual form; None when anything about it is unusual.

    Most docstrings are like this, and a large catalogue has many of them.
    """
    found: list[tuple[str, list[str]]] = []
    first = next((line for line in lines if line.strip()), "")
    margin = len(first) - len(first.lstrip())
    for line in lines:
        text = line.strip()
        if not text:
            if found:
                found[-1][1].append("")
        elif (indent := len(line) - len(line.lstrip())) > margin and found:
            found[-1][1].append(line[margin:])
        elif indent != margin or (entry := _ENTRY.fullmatch(line, margin)) is None:
            return None
        else:
            found.append((entry[1], [entry[2]]))
    return [_Entry((name,), _joined(text), "") for name, text in found]


def _joined(lines: list[str]) -> str:
    return lines[0].strip() if len(lines) == 1 else inspect.cleandoc("\n".join(lines))


def _parse(style: Style, block: str) -> list[_Entry]:
    # Loaded here because most programs start without needing it.
    from docstring_parser import ParseError, google, numpydoc, rest

    if style == "google":
        block = "Args:" + block[block.index("\n") :]  # the one heading that is always known
    parse = {"google": google.parse, "numpy": numpydoc.parse, "sphinx": rest.parse}[style]
    try:
        # The blank line keeps the parser from taking the first line's indentation for the block's.
        found = parse(f"\n{block}").params
    except ParseError:
        return []
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
