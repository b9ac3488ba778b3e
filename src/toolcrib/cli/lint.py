"""What may be wrong with tools before any model has seen them: rules, each giving findings."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from toolcrib.cli.lint_schema import schema_findings
from toolcrib.tools.definition import ToolDefinition
from toolcrib.tools.tool import Tool

__all__ = ["Finding", "Level", "lint"]

Level: TypeAlias = Literal["error", "warning", "note"]

_MOST_TOOLS, _MANY_TOOLS = 128, 20
_LONGEST_DESCRIPTION = 1024
_PROVIDERS_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_WRITING = re.compile(
    r"add|book|buy|cancel|charge|create|delete|drop|insert|pay|publish|refund|remove|rename|reserve"
    r"|send|set|transfer|update|upload|write"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that may be wrong. `rule` is a stable name."""

    level: Level
    rule: str
    tool: str | None
    """None when it is about all tools together."""
    text: str


def lint(tools: Sequence[Tool]) -> list[Finding]:
    """All findings, by tool, in the order of the tools; those about all of them come last."""
    findings = [
        Finding(level, rule, tool.name, text)
        for tool in tools
        for check in _EACH
        for level, rule, text in check(tool)
    ]
    findings.extend(_about_all([tool.definition for tool in tools]))
    return findings


_Said: TypeAlias = tuple[Level, str, str]


def _name(tool: Tool) -> Iterator[_Said]:
    if not _PROVIDERS_NAME.fullmatch(tool.name):
        yield (
            "warning",
            "name-not-portable",
            "some providers take only up to 64 ASCII letters, digits, '_' and '-', and no digit first: "
            "they are sent another name",
        )


def _description(tool: Tool) -> Iterator[_Said]:
    text = (tool.definition.description or "").strip()
    if not text:
        yield "error", "no-description", "write a docstring: it is all a model knows of the tool"
    elif _folded(text) == _folded(tool.name):
        yield "warning", "empty-description", "the description only repeats the name"
    elif len(text) > _LONGEST_DESCRIPTION:
        yield (
            "warning",
            "long-description",
            f"{len(text)} characters; some providers take {_LONGEST_DESCRIPTION} at most",
        )


def _parameters(tool: Tool) -> Iterator[_Said]:
    schema = tool.definition.input_schema or {}
    for name, one in _properties(schema).items():
        if not (isinstance(one, Mapping) and _described(one)):
            yield "warning", "no-parameter-description", f"parameter {name!r} is not described"


def _schema(tool: Tool) -> Iterator[_Said]:
    yield from schema_findings(tool.definition.input_schema, tool.definition.strict)


def _effect(tool: Tool) -> Iterator[_Said]:
    definition, options = tool.definition, tool.options
    writes = any(map(_WRITING.fullmatch, _words(tool.name)[:1]))
    if definition.effect == "read" and writes:
        yield "warning", "reads-by-its-word-only", f"effect='read', but it is called {tool.name!r}"
    if definition.effect is None and writes:
        yield "note", "effect-not-said", "it seems to change something: write effect='write'"
    if definition.effect == "write" and not options.idempotent:
        if options.timeout is not None:
            yield (
                "warning",
                "timeout-of-a-write",
                "after a timeout nobody knows whether it had its effect; if calling it twice does no "
                "more than once, write idempotent=True",
            )
        else:
            yield (
                "note",
                "write-not-idempotent",
                "a call that is repeated has its effect twice; if not, write idempotent=True",
            )


_EACH: tuple[Callable[[Tool], Iterator[_Said]], ...] = (
    _name,
    _description,
    _parameters,
    _schema,
    _effect,
)


def _about_all(definitions: Sequence[ToolDefinition]) -> Iterator[Finding]:
    count = len(definitions)
    if count > _MOST_TOOLS:
        text = f"{count} tools; providers take {_MOST_TOOLS} at most"
        yield Finding("error", "too-many-tools", None, text)
    elif count > _MANY_TOOLS:
        text = f"{count} tools; models begin to mix them up at about {_MANY_TOOLS}"
        yield Finding("warning", "many-tools", None, text)
    for one, other in itertools.combinations(definitions, 2):
        yield from _about_two(one, other)


def _about_two(one: ToolDefinition, other: ToolDefinition) -> Iterator[Finding]:
    a, b = _folded(one.name), _folded(other.name)
    if a == b:
        text = f"{one.name!r} and {other.name!r} differ in spelling only"
        yield Finding("error", "ambiguous-names", None, text)
    elif _alike(one.name, other.name):
        text = f"{one.name!r} and {other.name!r} are easily confused"
        yield Finding("warning", "similar-names", None, text)
    if one.description and one.description == other.description:
        text = f"{one.name!r} and {other.name!r} have the same description"
        yield Finding("warning", "same-description", None, text)


def _alike(one: str, other: str) -> bool:
    """The same words but for one, which is a plural, a slip, or nearly the same word."""
    words, others = _words(one), _words(other)
    if len(words) != len(others):
        return False
    unlike = [(a, b) for a, b in zip(words, others, strict=True) if a != b]
    if len(unlike) != 1:
        return False
    a, b = unlike[0]
    # opposites differ in how they begin (encode, decode), and short words are soon alike (get, set)
    if a[0] != b[0] or min(len(a), len(b)) < 4 or not (a.isalpha() and b.isalpha()):
        return False
    if a.rstrip("s") == b.rstrip("s") or sorted(a) == sorted(b):
        return True
    return difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() > 0.8


def _words(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]


def _folded(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _described(schema: Mapping[str, Any]) -> bool:
    return bool(str(schema.get("description") or schema.get("title") or "").strip())
