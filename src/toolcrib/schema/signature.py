"""From a callable to the parameters that a model fills and those that are filled for it."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from inspect import Parameter as Raw
from typing import Any, Final

from pydantic_core import ValidationError

from toolcrib.errors import ConfigurationError
from toolcrib.lazy import lazy_pattern
from toolcrib.schema.annotations import Said, is_field, is_nullable, take_apart
from toolcrib.schema.docstring import read_docstring
from toolcrib.schema.expansion import expanded_keywords, fixed_keywords
from toolcrib.schema.hints import Unresolved, type_hints
from toolcrib.schema.injected import InjectedParameter, Kinds, injected_parameter
from toolcrib.schema.parameters import MISSING, Param, Parameter
from toolcrib.schema.types import TypeSchema, tool_schema, type_schema
from toolcrib.values import value

__all__ = ["Signature", "read_signature"]

_PLAIN: Final = frozenset({bool, bytes, complex, float, int, str, type(None)})
_ILLEGAL = lazy_pattern(r"[\s\x00-\x1f\x7f-\x9f]")
_LONGEST_NAME = 128


@value
class Signature:
    """What can be known of a callable before it is called."""

    parameters: tuple[Parameter, ...]
    """Those that the model fills, in order."""
    injected: tuple[InjectedParameter, ...]
    positional: tuple[str, ...]
    """Python names that can be passed by position only, in order."""
    returns: Any
    """The return type, `MISSING` without an annotation, `Unresolved` where it cannot be resolved."""
    description: str | None
    """The docstring without what it says of parameters."""
    schema: Mapping[str, Any] | None
    """The JSON Schema of all parameters; None when there are none."""


def read_signature(
    function: Callable[..., Any],
    *,
    tool: str,
    injected: Kinds,
    skip_first: bool = False,
    document: str | None = None,
) -> Signature:
    """Read parameters, types, descriptions and defaults.

    `injected` pairs each type or mark whose parameters are never shown to the model with a kind.
    `skip_first` drops the first parameter (an unbound method's `self`). `document` is the docstring.
    Raises `ConfigurationError` naming tool and parameter, and saying what to write instead.
    """
    raw = _parameters(function, tool)
    hints = type_hints(function)
    names = [name for one in raw.values() for name in _shown_names(one, hints)]
    if skip_first and raw:
        del raw[next(iter(raw))]
    fixed = fixed_keywords(function)
    words = read_docstring(document, names)
    reader = _Reader(tool, hints, injected, words.parameters, fixed)
    for parameter in raw.values():
        if parameter.name not in fixed:
            reader.read(parameter)
    return Signature(
        tuple(reader.parameters.values()),
        tuple(reader.injected),
        tuple(name for name, one in raw.items() if one.kind is Raw.POSITIONAL_ONLY),
        hints.get("return", MISSING),
        words.description,
        reader.schema(),
    )


def _parameters(function: Callable[..., Any], tool: str) -> dict[str, Raw]:
    try:
        return dict(inspect.signature(function).parameters)
    except (NameError, TypeError, ValueError) as error:
        raise ConfigurationError(
            f"The signature of tool '{tool}' cannot be read: {error}. Wrap it in a function with "
            "annotated parameters."
        ) from error


def _shown_names(raw: Raw, hints: Mapping[str, Any]) -> Collection[str]:
    """The names under which a docstring may speak of a parameter."""
    if raw.kind is Raw.VAR_KEYWORD:
        return expanded_keywords(hints.get(raw.name)) or ()
    return (raw.name,)


class _Reader:
    """Collects the parameters of one tool."""

    def __init__(
        self,
        tool: str,
        hints: Mapping[str, Any],
        kinds: Kinds,
        words: Mapping[str, str],
        fixed: Collection[str],
    ) -> None:
        self.tool = tool
        self.fixed = fixed
        self.hints = hints
        self.kinds = kinds
        self.words = words
        self.parameters: dict[str, Parameter] = {}
        self.injected: list[InjectedParameter] = []

    def read(self, raw: Raw) -> None:
        annotation = self.hints.get(raw.name, Any)
        if raw.kind is Raw.VAR_POSITIONAL:
            raise self.refusal(
                f"*{raw.name}",
                "a model fills parameters by name. Write one list parameter such as "
                f"`{raw.name}: list[int]`; if a decorator hides the real signature, give it "
                "functools.wraps",
            )
        if isinstance(annotation, Unresolved):
            raise self.refusal(
                raw.name,
                f"the annotation {annotation.written!r} cannot be resolved ({annotation.reason}). "
                "Define or import that name above the function, not under TYPE_CHECKING",
            )
        if raw.kind is Raw.VAR_KEYWORD:
            self._read_keywords(raw, annotation)
            return
        default = MISSING if raw.default is Raw.empty else raw.default
        plain = _plainly_nullable(annotation, self.kinds)
        says_more = isinstance(default, Param) or is_field(default)
        if plain is not None and not says_more:
            self._add(raw.name, Said(annotation), default, plain)
            return
        # `x: int = Field(ge=1)` says the same as `x: Annotated[int, Field(ge=1)]`.
        in_place = (default,) if says_more else ()
        said = take_apart(annotation, *in_place)
        found = injected_parameter(raw.name, said, self.kinds)
        if found is not None:
            self._read_injected(raw, said, found)
        else:
            default = MISSING if in_place else default
            self._add(raw.name, said, default, is_nullable(said.type))

    def _read_keywords(self, raw: Raw, annotation: Any) -> None:
        keywords = expanded_keywords(annotation)
        if keywords is None:
            raise self.refusal(
                f"**{raw.name}",
                "a model cannot know the names. Write the parameters out, or "
                f"`**{raw.name}: Unpack[SomeTypedDict]`",
            )
        for name, (hint, required) in keywords.items():
            if name not in self.fixed:
                said = take_apart(hint)
                self._add(name, said, MISSING, is_nullable(said.type), optional=not required)

    def _read_injected(self, raw: Raw, said: Said, found: InjectedParameter) -> None:
        what = "it is filled in for every call and never shown to the model"
        if said.descriptions or said.names or said.required is not None:
            raise self.refusal(raw.name, f"{what}, so take its description, name and Param away")
        if said.defaults or said.factories or raw.default is not Raw.empty:
            raise self.refusal(
                raw.name,
                f"{what}, so take its default away (behind other defaults, write it after `*`)",
            )
        self.injected.append(found)

    def _add(
        self, name: str, said: Said, default: Any, nullable: bool, *, optional: bool = False
    ) -> None:
        shown = self._name(name, said)
        description = self._description(name, said)
        make_default = self._default(name, said, default)
        if said.required is False and not nullable and make_default is None:
            raise self.refusal(
                name,
                "required=False needs a value for when it is absent. Write the type as `T | None`, "
                "or give a default",
            )
        required = make_default is None and not optional and (not nullable or said.required is True)
        self.parameters[shown] = Parameter(
            shown, name, said.type, required, nullable, description, make_default
        )

    def _name(self, name: str, said: Said) -> str:
        if len(said.names) > 1:
            raise self.refusal(name, f"it is named twice, {said.names!r}. Keep one name")
        shown = said.names[0] if said.names else name
        if not isinstance(shown, str):
            raise self.refusal(
                name, f"a parameter has one name, not {shown!r}. Use Param(name='...')"
            )
        if not shown or len(shown) > _LONGEST_NAME or _ILLEGAL.search(shown):
            raise self.refusal(
                name,
                f"the name {shown[:40]!r} is empty, longer than {_LONGEST_NAME} characters, or has "
                "blanks or control characters. Use letters, digits, '_' or '-'",
            )
        if shown in self.parameters:
            other = self.parameters[shown].python_name
            raise self.refusal(
                name,
                f"it and {other!r} are both shown to the model as {shown!r}. Give one of them "
                "another Param(name=...)",
            )
        return shown

    def _description(self, name: str, said: Said) -> str | None:
        if len(said.descriptions) > 1:
            raise self.refusal(
                name, f"it is described twice, {said.descriptions!r}. Keep one description"
            )
        return said.descriptions[0] if said.descriptions else self.words.get(name)

    def _default(self, name: str, said: Said, default: Any) -> Callable[[], Any] | None:
        values = [*said.defaults, *([] if default is MISSING else [default])]
        if len(values) + len(said.factories) > 1:
            raise self.refusal(
                name, "it has two defaults. Keep the one in the signature, or the one in Param"
            )
        if said.factories:
            self._check_default(name, said, said.factories[0]())
            return said.factories[0]
        if not values:
            return None
        value = values[0]
        self._check_default(name, said, value)
        if type(value) in _PLAIN:
            return lambda: value
        try:
            copy.deepcopy(value)
        except Exception as error:
            raise self.refusal(
                name,
                f"its default cannot be copied for each call ({error}). Write `= None`, and make "
                "the value inside the function",
            ) from error
        return lambda: copy.deepcopy(value)

    def schema(self) -> Mapping[str, Any] | None:
        """The schema of all parameters so far; refuses types that cannot be described."""
        parameters = tuple(self.parameters.values())
        try:
            return tool_schema(parameters)
        except Exception:  # a type may bring its own code, so anything may be raised
            for parameter in parameters:
                self._check_type(parameter.python_name, parameter.annotation)
            raise

    def _check_type(self, name: str, annotation: Any) -> TypeSchema:
        try:
            return type_schema(annotation)
        except Exception as error:
            raise self.refusal(name, _why_no_schema(annotation, error)) from error

    def _check_default(self, name: str, said: Said, value: Any) -> None:
        if type(value) is said.type or (value is None and is_nullable(said.type)):
            return
        adapter = self._check_type(name, said.type).adapter
        try:
            adapter.validate_python(value, strict=True)
        except ValidationError as error:
            why = "; ".join(one["msg"] for one in error.errors(include_url=False)[:3])
            instead = (
                "Write the type as `T | None`" if value is None else "Write a value of that type"
            )
            raise self.refusal(
                name, f"the default {value!r:.80} does not fit its type ({why}). {instead}"
            ) from error

    def refusal(self, parameter: str, why: str) -> ConfigurationError:
        return ConfigurationError(f"Tool '{self.tool}', parameter {parameter!r}: {why}.")


def _plainly_nullable(annotation: Any, kinds: Kinds) -> bool | None:
    """Whether a type names None; None for a type that says more than that, or is injected."""
    try:
        return _plainly_nullable_hashed(annotation, kinds)
    except TypeError:
        return None


# What is found here holds for all types that Python calls equal, though their schemas may differ.
@functools.lru_cache(maxsize=1_024)
def _plainly_nullable_hashed(annotation: Any, kinds: Kinds) -> bool | None:
    said = take_apart(annotation)
    if said.marks or injected_parameter("", said, kinds) is not None:
        return None
    return is_nullable(annotation)


def _why_no_schema(annotation: Any, error: Exception) -> str:
    cause = error.__cause__ or error
    code = getattr(cause, "code", None)
    if code == "typed-dict-version":
        return (
            "before Python 3.12, typing.TypedDict says too little. Use typing_extensions.TypedDict"
        )
    shown = annotation.__name__ if isinstance(annotation, type) else repr(annotation)
    if code in ("class-not-fully-defined", "undefined-annotation"):
        return (
            f"the type {shown} names a type that is not defined yet. Define it above the function"
        )
    why = "" if code == "schema-for-unknown-type" else f" ({str(cause).splitlines()[0]:.150})"
    filled = f"; if your program fills it in, write Injected[{shown}]"
    return (
        f"the type {shown} cannot be described to a model{why}. Use plain types, dataclasses, "
        f"TypedDicts or pydantic models{filled if isinstance(annotation, type) else ''}"
    )
