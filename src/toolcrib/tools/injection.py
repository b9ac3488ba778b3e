"""Parameters that are filled for the model: the context, the run's own values, and `deps` by type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, get_origin

from toolcrib.errors import ConfigurationError
from toolcrib.schema.injected import InjectedParameter, Kinds, without_none
from toolcrib.tools.context import INJECTED, MemoryId, RunParameters, ToolContext
from toolcrib.tools.tool import Tool

__all__ = ["CHECKED_KINDS", "INJECTED_KINDS", "check_injection", "filler"]

INJECTED_KINDS: Final[Kinds] = (
    (ToolContext, "context"),
    (RunParameters, "parameters"),
    (MemoryId, "memory_id"),
    (INJECTED, "deps"),
)
"""What `read_signature` must keep from the model."""

CHECKED_KINDS: Final = frozenset({"deps", "parameters"})
"""Those that a run may lack."""

Filler = Callable[[Any], Any]


def filler(tool: str, parameter: InjectedParameter) -> Filler:
    """A function from the call's context to the value of an injected parameter."""
    match parameter.kind:
        case "context":
            return lambda context: context
        case "memory_id":
            return lambda context: context.memory_id
        case "parameters":
            return lambda context: _run_parameters(
                tool, parameter.name, parameter.type, context.parameters, parameter.optional
            )
        case "deps":
            return lambda context: _dependency(
                tool, parameter.name, parameter.type, context.deps, parameter.optional
            )
        case unknown:
            raise AssertionError(unknown)


def check_injection(tool: Tool, deps: Any, parameters: RunParameters | None = None) -> None:
    """Make sure that `deps` hold exactly one value for each injected parameter of a tool.

    Also that `parameters`, when they are given, are of the class that the tool wants. Raises `ConfigurationError` naming tool, parameter, type and what was there.
    """
    for name, annotation in tool.injected_types().items():
        wanted, optional = without_none(annotation)
        if not _is_class_of_parameters(wanted):
            _dependency(tool.name, name, wanted, deps, optional)
        elif parameters is not None:
            _run_parameters(tool.name, name, wanted, parameters, optional)


def _is_class_of_parameters(wanted: Any) -> bool:
    return isinstance(wanted, type) and issubclass(wanted, RunParameters)


def _run_parameters(
    tool: str, name: str, wanted: type[RunParameters], given: RunParameters, optional: bool
) -> RunParameters | None:
    if isinstance(given, wanted):
        return given
    if optional:
        return None
    raise ConfigurationError(
        f"Tool '{tool}', parameter {name!r}: wants {_word(wanted)}, but the run was given "
        f"{type(given).__name__}. Pass parameters={_word(wanted)}(...)."
    )


def _dependency(tool: str, name: str, wanted: Any, deps: Any, optional: bool) -> Any:
    if isinstance(deps, Mapping) and wanted in deps:
        return deps[wanted]
    kind = get_origin(wanted) or wanted
    try:
        if isinstance(deps, kind):
            return deps
        candidates = list(_candidates(deps))
        matches = {
            id(value): (label, value) for label, value in candidates if isinstance(value, kind)
        }
    except TypeError:
        raise ConfigurationError(
            f"Tool '{tool}', parameter {name!r}: no value can be recognised as {_word(wanted)}. Pass "
            f"deps={{{_word(wanted)}: value}}, or make a Protocol @runtime_checkable."
        ) from None
    if len(matches) == 1:
        return next(iter(matches.values()))[1]
    if not matches and optional:
        return None
    if matches:
        labels = ", ".join(label for label, _ in matches.values())
        found = f"{len(matches)} values match ({labels}). Pass deps={{{_word(wanted)}: value}}"
    else:
        there = ", ".join(f"{label}: {type(value).__name__}" for label, value in candidates)
        shown = "None" if deps is None else f"{type(deps).__name__} ({there or 'no public values'})"
        found = f"deps hold none; they were {shown}. Pass deps=..., or {{{_word(wanted)}: value}}"
    raise ConfigurationError(
        f"Tool '{tool}', parameter {name!r}: wants one {_word(wanted)}, but {found}."
    )


def _candidates(deps: Any) -> Iterable[tuple[str, Any]]:
    """Labels and values in which a dependency may be found, one level deep."""
    if deps is None or isinstance(deps, str | bytes | bool | int | float):
        return
    if isinstance(deps, Mapping):
        for key, value in deps.items():
            yield (key.__name__ if isinstance(key, type) else str(key)), value
    elif isinstance(deps, list | tuple):
        for index, value in enumerate(deps):
            yield f"[{index}]", value
    else:
        for attribute in _attribute_names(deps):
            # Only stored values: a property may have effects.
            if not attribute.startswith("_") and hasattr(deps, attribute):
                yield attribute, getattr(deps, attribute)


def _attribute_names(deps: Any) -> list[str]:
    names = list(getattr(deps, "__dict__", ()))
    for base in type(deps).__mro__:
        slots = base.__dict__.get("__slots__", ())
        names.extend((slots,) if isinstance(slots, str) else slots)
    return names


def _word(wanted: Any) -> str:
    return wanted.__name__ if isinstance(wanted, type) else str(wanted)
