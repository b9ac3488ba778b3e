"""What an author may say of a tool beside its function, checked while it is declared."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NoReturn, TypedDict, TypeVar

from toolcrib.errors import ConfigurationError
from toolcrib.tools.definition import Effect, ReturnBehavior, ToolDefinition, Visibility
from toolcrib.tools.tool import ToolOptions
from toolcrib.values import value

__all__ = [
    "Declaration",
    "RunDeclaration",
    "ToolDeclaration",
    "TreatmentDeclaration",
    "declare",
    "refuse",
    "run_options",
]


class RunDeclaration(TypedDict, total=False):
    """How a tool wants to be run; see `ToolOptions`."""

    timeout: float | None
    retries: int
    idempotent: bool
    exclusive: bool
    thread: Literal["pool", "caller"]


class TreatmentDeclaration(RunDeclaration, total=False):
    """How a tool wants to be run and treated; see `ToolOptions` and `ToolDefinition`."""

    metadata: Mapping[str, Any]
    returns: ReturnBehavior
    visibility: Visibility
    strict: bool | None
    effect: Effect | None


class ToolDeclaration(TreatmentDeclaration, total=False):
    """All options of `@tool`."""

    name: str | None
    description: str | Sequence[str] | None


@value
class Declaration:
    """Checked options."""

    name: str
    described: bool
    """Whether a description was given, so that the docstring's is not wanted."""
    description: str | None
    metadata: Mapping[str, Any]
    returns: ReturnBehavior
    visibility: Visibility
    strict: bool | None
    effect: Effect | None
    options: ToolOptions

    def definition(
        self, input_schema: Mapping[str, Any] | None, description: str | None
    ) -> ToolDefinition:
        """The definition with these options; `description` is the docstring's."""
        return ToolDefinition(
            self.name,
            self.description if self.described else description,
            input_schema,
            returns=self.returns,
            visibility=self.visibility,
            strict=self.strict,
            effect=self.effect,
            metadata=self.metadata,
        )


_Kind = TypeVar("_Kind", bound=enum.Enum)
_PLAIN_OPTIONS = ToolOptions()


def declare(default_name: str, given: Mapping[str, Any]) -> Declaration:
    """Check the options of a tool. Raises `ConfigurationError` saying what to write instead."""
    name = given.get("name")
    name = default_name if name is None else name
    if not isinstance(name, str):
        raise ConfigurationError(f"The name of a tool must be a text, not {name!r:.80}.")
    if not given:  # as most are
        to_model, searchable = ReturnBehavior.TO_MODEL, Visibility.SEARCHABLE
        plain = _PLAIN_OPTIONS
        return Declaration(name, False, None, {}, to_model, searchable, None, None, plain)
    _refuse_unknown(name, given, _KNOWN)
    return Declaration(
        name,
        given.get("description") is not None,
        _description(name, given.get("description")),
        _metadata(name, given.get("metadata", {})),
        _one_of(name, "returns", given.get("returns", ReturnBehavior.TO_MODEL), ReturnBehavior),
        _one_of(name, "visibility", given.get("visibility", Visibility.SEARCHABLE), Visibility),
        _choice(name, "strict", given, None, (None, True, False)),
        _choice(name, "effect", given, None, (None, "read", "write")),
        _run_options(name, given),
    )


def run_options(name: str, given: Mapping[str, Any]) -> ToolOptions:
    """The options that say how to run a tool, and no others, checked."""
    _refuse_unknown(name, given, _RUN)
    return _run_options(name, given)


def _run_options(name: str, given: Mapping[str, Any]) -> ToolOptions:
    if given.keys().isdisjoint(_RUN):
        return _PLAIN_OPTIONS
    timeout, retries = given.get("timeout"), given.get("retries", 0)
    if timeout is not None and (not _is_number(timeout) or not 0 < timeout < math.inf):
        refuse(name, "timeout", f"write a positive number of seconds, not {timeout!r:.80}")
    if not isinstance(retries, int) or isinstance(retries, bool) or retries < 0:
        refuse(name, "retries", f"write how often to try again, 0 or more, not {retries!r:.80}")
    idempotent = _choice(name, "idempotent", given, False, (True, False))
    if retries and not idempotent:
        refuse(
            name,
            "retries",
            "only a tool that may safely run twice is tried again. If it may, write "
            "idempotent=True as well",
        )
    return ToolOptions(
        timeout,
        retries,
        idempotent,
        _choice(name, "exclusive", given, False, (True, False)),
        _choice(name, "thread", given, "pool", ("pool", "caller")),
    )


def _refuse_unknown(tool: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    for option in given:
        if option not in known:
            refuse(tool, option, f"there is no such option; there are {', '.join(known)}")


def refuse(tool: str, option: str, why: str) -> NoReturn:
    """Raise the `ConfigurationError` of an option."""
    raise ConfigurationError(f"Tool '{tool}', option {option!r}: {why}.")


def _description(tool: str, given: object) -> str | None:
    lines = [given] if isinstance(given, str) else ([] if given is None else given)
    if not isinstance(lines, Sequence) or not all(isinstance(line, str) for line in lines):
        refuse(tool, "description", f"write a text, or a list of lines, not {given!r:.80}")
    return "\n".join(lines) or None


def _metadata(tool: str, given: object) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        refuse(tool, "metadata", f"write a dict, not {given!r:.80}")
    if not given:
        return {}
    try:
        copied = json.loads(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        refuse(tool, "metadata", f"it must be JSON data ({error})")
    if copied != given:
        # Tuples and keys that are no texts would come back from storage as something else.
        refuse(tool, "metadata", "it must be JSON data: write lists, and texts as keys")
    assert isinstance(copied, dict)
    return copied


def _one_of(tool: str, option: str, value: Any, kind: type[_Kind]) -> _Kind:
    if not isinstance(value, kind):
        members = ", ".join(str(member) for member in kind)
        refuse(tool, option, f"write one of {members}, not {value!r:.80}")
    return value


def _choice(
    tool: str, option: str, given: Mapping[str, Any], default: Any, choices: tuple[Any, ...]
) -> Any:
    value = given.get(option, default)
    if value is default:
        return default
    # Types too: 1 is not True here.
    if not any(value == choice and type(value) is type(choice) for choice in choices):
        words = ", ".join(repr(choice) for choice in choices)
        refuse(tool, option, f"write one of {words}, not {value!r:.80}")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_RUN = tuple(RunDeclaration.__annotations__)
_KNOWN = (
    *("name", "description", "metadata", "returns", "visibility", "strict", "effect"),
    *_RUN,
)
