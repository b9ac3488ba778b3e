"""A tool from a hand-written definition or a bare JSON Schema, and the function that does the work."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from inspect import Parameter as Raw
from inspect import signature
from types import NoneType
from typing import Any

from typing_extensions import Unpack

from toolcrib.errors import ConfigurationError, Problem, ToolArgumentsError
from toolcrib.schema.annotations import take_apart
from toolcrib.schema.arguments import ArgumentReader, ReadArguments
from toolcrib.schema.explain import shorten
from toolcrib.schema.hints import Unresolved, type_hints
from toolcrib.schema.injected import InjectedParameter, injected_parameter
from toolcrib.tools.declaration import RunDeclaration, TreatmentDeclaration, declare, run_options
from toolcrib.tools.definition import ToolDefinition
from toolcrib.tools.injection import CHECKED_KINDS, INJECTED_KINDS, filler
from toolcrib.tools.plan import mode_of, origin_of
from toolcrib.tools.tool import Tool, ToolOptions

__all__ = ["DefinedTool", "tool_from_definition", "tool_from_schema"]

_WHOLE = "arguments"


class DefinedTool(Tool):
    """A hand-written definition over a function; made by `tool_from_definition`."""

    def __init__(
        self, definition: ToolDefinition, function: Callable[..., Any], options: ToolOptions
    ) -> None:
        _check_schema(definition)
        self.definition = definition
        self.options = options
        self.mode = mode_of(function, definition.name)
        self.origin = origin_of(function, method=False)
        self._function = function
        self._shape = _Shape(definition, function)
        self.none_means_success = self._shape.returns_nothing

    @functools.cached_property
    def _reader(self) -> ArgumentReader:
        return ArgumentReader(
            self.name,
            self.definition.input_schema,
            unknown="drop" if self.definition.effect == "read" else "refuse",
        )

    def read(self, text: str) -> ReadArguments:
        read = self._reader.read(text)
        self._shape.check(read.values)
        return read

    def call(self, values: Mapping[str, Any], context: Any) -> Any:
        return self._shape.call(self._function, values, context)

    def injected_types(self) -> Mapping[str, Any]:
        return {
            one.name: one.type | None if one.optional else one.type
            for one in self._shape.injected
            if one.kind in CHECKED_KINDS
        }


def tool_from_definition(
    definition: ToolDefinition, function: Callable[..., Any], **options: Unpack[RunDeclaration]
) -> Tool:
    """A tool with a hand-written definition, kept verbatim.

    The function gets the JSON values as keyword arguments, as they are: hints convert nothing. Keys
    that it has no parameter for go to its `**arguments`. If its only parameter is called `arguments`,
    and the schema has no such key, it gets all of them as one dict. Parameters that are filled for
    the model (`ToolContext`, `Injected[T]`, …) follow the function, not the schema.

    Raises `ConfigurationError` for a schema that is no object, for a key that cannot be passed, and for
    a parameter that may stay unfilled.
    """
    return DefinedTool(definition, function, run_options(definition.name, options))


def tool_from_schema(
    schema: Mapping[str, Any] | None,
    function: Callable[..., Any],
    *,
    name: str,
    description: str | None = None,
    **options: Unpack[TreatmentDeclaration],
) -> Tool:
    """A tool with a bare JSON Schema of its arguments, kept verbatim; else as `tool_from_definition`."""
    declared = declare(name, {**options, "description": description})
    return DefinedTool(declared.definition(schema, None), function, declared.options)


def _check_schema(definition: ToolDefinition) -> None:
    schema = definition.input_schema
    if schema is None:
        return
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        raise ConfigurationError(
            f"Tool '{definition.name}': the input schema must be a JSON Schema of an object, not "
            f"{schema!r:.80}. Write {{'type': 'object', 'properties': {{…}}}}."
        )
    for key, kind in (("properties", Mapping), ("required", list)):
        if key in schema and not isinstance(schema[key], kind):
            raise ConfigurationError(
                f"Tool '{definition.name}': {key!r} of the input schema must be "
                f"{'an object' if kind is Mapping else 'a list'}, not {schema[key]!r:.80}."
            )
    try:
        json.dumps(schema)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigurationError(
            f"Tool '{definition.name}': the input schema must be JSON data ({error})."
        ) from error


class _Shape:
    """How the JSON values of a call become the arguments of the function."""

    def __init__(self, definition: ToolDefinition, function: Callable[..., Any]) -> None:
        self.tool = definition.name
        schema = definition.input_schema or {}
        self.keys = tuple(schema.get("properties", ()))
        self.required = frozenset(schema.get("required", ()))
        hints = type_hints(function)
        self.returns_nothing = hints.get("return") in (None, NoneType)
        self.injected: list[InjectedParameter] = []
        self.visible: dict[str, Raw] = {}
        for name, raw in signature(function).parameters.items():
            hint = hints.get(name, Any)
            said = take_apart(Any if isinstance(hint, Unresolved) else hint)
            found = injected_parameter(name, said, INJECTED_KINDS)
            if found is None:
                self.visible[name] = raw
            else:
                self.injected.append(found)
        self.fillers = tuple((one.name, filler(self.tool, one)) for one in self.injected)
        kinds = {raw.kind for raw in self.visible.values()}
        self.whole = [*self.visible] == [_WHOLE] and _WHOLE not in self.keys and kinds <= _BY_NAME
        self.takes_all = self.whole or Raw.VAR_KEYWORD in kinds
        self.names = {name for name, raw in self.visible.items() if raw.kind in _BY_NAME}
        self._refuse_what_cannot_be_passed()

    def _refuse_what_cannot_be_passed(self) -> None:
        taken = [one.name for one in self.injected if one.name in self.keys]
        if taken:
            raise ConfigurationError(
                f"Tool '{self.tool}', parameter {taken[0]!r}: it is filled in for the model, but the "
                "schema has a key of that name. Call the parameter something else."
            )
        lost = [key for key in self.keys if key not in self.names]
        if lost and not self.takes_all:
            raise ConfigurationError(
                f"Tool '{self.tool}': the function has no parameter for {lost!r}. Add it, or write "
                "`**arguments`, which also takes keys that are no Python names."
            )
        for name, raw in self.visible.items():
            if self.whole or raw.default is not Raw.empty or raw.kind in _COLLECTING:
                continue
            if raw.kind is Raw.POSITIONAL_ONLY:
                raise ConfigurationError(
                    f"Tool '{self.tool}', parameter {name!r}: arguments are passed by name. Take the "
                    "`/` behind it away."
                )
            if name not in self.required:
                raise ConfigurationError(
                    f"Tool '{self.tool}', parameter {name!r}: the schema does not require it, so it "
                    "may be absent. Give it a default, or list it under 'required'."
                )

    def check(self, values: Mapping[str, Any]) -> None:
        """Refuse keys that the schema lets pass and the function cannot take."""
        filled = {one.name for one in self.injected} if not self.whole else ()
        problems = [
            Problem(key, "no such argument", shorten(value), self.keys)
            for key, value in values.items()
            if key in filled or not (self.takes_all or key in self.names)
        ]
        if problems:
            raise ToolArgumentsError(self.tool, problems)

    def call(self, function: Callable[..., Any], values: Mapping[str, Any], context: Any) -> Any:
        keywords = {_WHOLE: dict(values)} if self.whole else dict(values)
        for name, fill in self.fillers:
            keywords[name] = fill(context)
        return function(**keywords)


_BY_NAME = frozenset({Raw.POSITIONAL_OR_KEYWORD, Raw.KEYWORD_ONLY})
_COLLECTING = frozenset({Raw.VAR_KEYWORD, Raw.VAR_POSITIONAL})
