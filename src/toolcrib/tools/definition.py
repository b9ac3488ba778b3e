"""A tool as data: what a model may know of it, and what policies may ask of it."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from toolcrib.errors import ConfigurationError
from toolcrib.lazy import lazy_pattern
from toolcrib.values import setting

__all__ = ["Effect", "ReturnBehavior", "ToolDefinition", "Visibility"]

Effect: TypeAlias = Literal["read", "write"]

_ILLEGAL = lazy_pattern(r"[\s\x00-\x1f\x7f-\x9f]")
_LONGEST_NAME = 128


class ReturnBehavior(enum.Enum):
    """What becomes of a tool's result."""

    TO_MODEL = "to_model"
    """The model reads it and goes on (the usual thing)."""
    IMMEDIATE = "immediate"
    """The run ends with it, if every call of the round wants that."""
    IMMEDIATE_IF_LAST = "immediate_if_last"
    """The run ends with it, if it is the last call of its round."""


class Visibility(enum.Enum):
    """Whether a tool may be hidden until it is searched for."""

    SEARCHABLE = "searchable"
    ALWAYS = "always"


@setting
class ToolDefinition:
    """Name, description and schemas of a tool, and how it wants to be treated.

    `input_schema` is a JSON Schema of an object, kept verbatim; None means that the tool takes no
    arguments. `metadata` is for programs: it is stored and shown, and no dialect sends it by itself.
    Raises `ConfigurationError` for a name that is empty, too long, or has blanks or control characters.
    """

    name: str
    description: str | None = None
    input_schema: Mapping[str, Any] | None = None
    output_schema: Mapping[str, Any] | None = None
    returns: ReturnBehavior = ReturnBehavior.TO_MODEL
    visibility: Visibility = Visibility.SEARCHABLE
    effect: Effect | None = None
    strict: bool | None = None
    """Whether the provider must hold the model to the schema; None leaves it to the model's setting."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    undoable: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ConfigurationError("A tool needs a name; pass name='...'.")
        if len(self.name) > _LONGEST_NAME:
            raise ConfigurationError(
                f"The tool name '{self.name[:40]}…' has {len(self.name)} characters; "
                f"use at most {_LONGEST_NAME}."
            )
        if _ILLEGAL.search(self.name):
            raise ConfigurationError(
                f"The tool name {self.name!r} has blanks or control characters; use letters, digits, '_' or '-'."
            )

    def __hash__(self) -> int:
        return hash(self.name)

    def to_json(self) -> str:
        """This definition as JSON text: the same definition always gives the same bytes."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    def to_dict(self) -> dict[str, Any]:
        """This definition as plain JSON data; whatever has its default is left out."""
        data: dict[str, Any] = {"name": self.name}
        if self.description is not None:
            data["description"] = self.description
        if self.input_schema is not None:
            data["input_schema"] = self.input_schema
        if self.output_schema is not None:
            data["output_schema"] = self.output_schema
        if self.returns is not ReturnBehavior.TO_MODEL:
            data["returns"] = self.returns.value
        if self.visibility is not Visibility.SEARCHABLE:
            data["visibility"] = self.visibility.value
        if self.effect is not None:
            data["effect"] = self.effect
        if self.strict is not None:
            data["strict"] = self.strict
        if self.metadata:
            data["metadata"] = self.metadata
        if self.undoable:
            data["undoable"] = True
        return data

    @classmethod
    def from_json(cls, text: str | bytes) -> ToolDefinition:
        """The definition that `to_json` wrote. Raises `ConfigurationError` naming the key that is wrong."""
        try:
            data = json.loads(text)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"A tool definition must be JSON text: {error}.") from error
        return cls.from_dict(data)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolDefinition:
        """The definition that `to_dict` gave. Raises `ConfigurationError` naming the key that is wrong."""
        if not isinstance(data, Mapping):
            raise ConfigurationError("A tool definition must be a JSON object.")
        for key, value in data.items():
            wanted = _KEYS.get(key)
            if wanted is None:
                known = ", ".join(_KEYS)
                raise ConfigurationError(
                    f"A tool definition has no key {key!r}; known are {known}."
                )
            if not isinstance(value, wanted):
                raise ConfigurationError(
                    f"{key!r} of a tool definition must be {_WORDS[wanted]}, not {value!r:.80}."
                )
        if "name" not in data:
            raise ConfigurationError("A tool definition needs the key 'name'.")
        values = dict(data)
        for key, choices in (("returns", ReturnBehavior), ("visibility", Visibility)):
            if key in values:
                values[key] = _member(choices, key, values[key])
        if values.get("effect", "read") not in ("read", "write"):
            raise ConfigurationError(
                f"'effect' of a tool definition must be 'read' or 'write', not {values['effect']!r}."
            )
        return cls(**values)


def _member(choices: type[enum.Enum], key: str, value: str) -> enum.Enum:
    try:
        return choices(value)
    except ValueError:
        allowed = ", ".join(repr(choice.value) for choice in choices)
        raise ConfigurationError(
            f"{key!r} of a tool definition must be one of {allowed}, not {value!r}."
        ) from None


_KEYS: dict[str, type] = {
    "name": str,
    "description": str,
    "input_schema": Mapping,
    "output_schema": Mapping,
    "returns": str,
    "visibility": str,
    "effect": str,
    "strict": bool,
    "metadata": Mapping,
    "undoable": bool,
}
_WORDS: dict[type, str] = {str: "a text", Mapping: "an object", bool: "true or false"}
