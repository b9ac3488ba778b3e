"""One type → its pydantic adapter and its marked JSON Schema; parameters → the schema of a tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from toolcrib.errors import ConfigurationError
from toolcrib.schema.generate import MarkedSchema, duration_text
from toolcrib.schema.marks import strip_marks
from toolcrib.schema.parameters import Parameter

__all__ = ["TypeSchema", "strip_marks", "tool_schema", "type_schema"]

_MOST_CACHED = 1_024
_REFS = "#/$defs/"


class TypeSchema:
    """What is known of one type, made once and compared by identity."""

    __slots__ = ("adapter", "annotation", "definitions", "schema", "shown")

    def __init__(
        self, annotation: Any, adapter: TypeAdapter[Any], schema: Mapping[str, Any]
    ) -> None:
        self.annotation = annotation
        self.adapter = adapter
        self.schema = schema
        """Marked. Shared by many tools, as are the next two: do not change them."""
        shown = strip_marks(schema)
        self.definitions: Mapping[str, Any] = shown.pop("$defs", {})
        self.shown: Mapping[str, Any] = shown
        """Without marks and `$defs`."""


_cache: dict[Any, TypeSchema] = {}


def type_schema(annotation: Any) -> TypeSchema:
    """The adapter and schema of a type, from a bounded cache when the type can be hashed.

    Raises `ConfigurationError` for a type that JSON cannot carry, or that is not defined yet.
    """
    try:
        key = _key(annotation)
        found = _cache.get(key)
    except TypeError:  # cannot be hashed
        return _build(annotation)
    if found is None:
        found = _build(annotation)
        while len(_cache) >= _MOST_CACHED:
            _cache.pop(next(iter(_cache)), None)  # the oldest
        _cache[key] = found
    return found


def _build(annotation: Any) -> TypeSchema:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(_with_lists(annotation))
        schema = adapter.json_schema(schema_generator=MarkedSchema, mode="validation")
    except PydanticUserError as error:
        reason = str(error.message).split("\n", 1)[0].rstrip(".")
        raise ConfigurationError(
            f"The type {annotation!r} cannot be given by a model as JSON: {reason}."
        ) from error
    except NameError as error:
        raise ConfigurationError(f"The type {annotation!r} cannot be resolved: {error}.") from error
    return TypeSchema(annotation, adapter, schema)


def _with_lists(annotation: Any) -> Any:
    """`Iterable[T]` as `list[T]`: pydantic makes a generator of it, which can be read only once."""
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is Iterable:
        return list[members]  # type: ignore[valid-type]
    if origin is Annotated:
        return Annotated[(_with_lists(members[0]), *annotation.__metadata__)]
    if origin in (Union, UnionType) and any(get_origin(one) is Iterable for one in members):
        return reduce(or_, map(_with_lists, members))
    return annotation


def _key(annotation: Any) -> Any:
    """A key under which only the very same type is found.

    Python says that `int | str == str | int` and `Literal[1] == Literal[True]`; schemas differ.
    Raises TypeError for what cannot be hashed.
    """
    if issubclass(type(annotation), type):  # an ordinary class; `list[int]` is none
        return annotation
    if type(annotation) is type:  # such as `int`, which most are
        return annotation
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if origin is None or not arguments:
        hash(annotation)
        return annotation
    if origin is Literal:
        return Literal, tuple((type(argument), argument) for argument in arguments)
    if origin is Annotated:
        marks = tuple((type(mark), mark, repr(mark)) for mark in annotation.__metadata__)
        hash(marks)
        return Annotated, _key(annotation.__origin__), marks
    if origin in (Union, UnionType):
        return Union, tuple(_key(argument) for argument in arguments)
    keys = tuple(
        tuple(map(_key, argument)) if isinstance(argument, list) else _key(argument)
        for argument in arguments
    )
    # `typing.List[int]` and `list[int]` give the same schema; their origin is the same.
    return origin, keys


def tool_schema(parameters: Sequence[Parameter]) -> dict[str, Any] | None:
    """The JSON Schema of an object with these parameters; None when there are none.

    The same parameters always give the same bytes. A definition of a name that is taken by another
    one becomes `Item_2`. What is inside is shared with other schemas: copy before changing it.
    Raises `ConfigurationError` as `type_schema` does.
    """
    if not parameters:
        return None
    definitions = _Definitions()
    properties: dict[str, Any] = {}
    for parameter in parameters:
        schema = definitions.take(type_schema(parameter.annotation))
        if parameter.description is not None:
            schema["description"] = parameter.description
        if parameter.make_default is not None:
            _show_default(schema, parameter.make_default)
        properties[parameter.name] = schema
    found: dict[str, Any] = {"type": "object", "properties": properties}
    required = [parameter.name for parameter in parameters if parameter.required]
    if required:
        found["required"] = required
    found["additionalProperties"] = False
    if definitions.merged:
        found["$defs"] = definitions.merged
    return found


def _show_default(schema: dict[str, Any], make_default: Callable[[], Any]) -> None:
    """A default that is the same each time and can be JSON; any other is used all the same."""
    default = make_default()
    if type(default) in _PLAIN and default is make_default():
        schema["default"] = default
        return
    try:
        first, second = _as_json(default), _as_json(make_default())
    except (PydanticSerializationError, ValueError):
        return
    if first == second:  # NaN is not, and has no JSON anyway
        schema["default"] = first


_PLAIN = frozenset({bool, int, str, type(None)})


def _as_json(default: Any) -> Any:
    if isinstance(default, timedelta):
        return duration_text(default)
    shown = to_jsonable_python(default, bytes_mode="base64", inf_nan_mode="null")
    if shown is None and default is not None:
        raise ValueError("infinite")
    if isinstance(default, (set, frozenset)):
        shown.sort(key=repr)  # the order of a set differs from process to process
    return shown


class _Definitions:
    """The `$defs` of a tool, gathered from its parameters."""

    def __init__(self) -> None:
        self.merged: dict[str, Any] = {}
        self._renamed: dict[TypeSchema, dict[str, str]] = {}

    def take(self, known: TypeSchema) -> dict[str, Any]:
        """A copy of a type's schema without `$defs`, which come here."""
        own = known.definitions
        if not own:
            return dict(known.shown)
        renamed = self._renamed.get(known)
        if renamed is None:
            renamed = self._renamed[known] = self._free_names(own)
            for name, definition in own.items():
                self.merged[renamed.get(name, name)] = _rewritten(definition, renamed)
        rewritten: dict[str, Any] = dict(_rewritten(known.shown, renamed))
        return rewritten

    def _free_names(self, own: Mapping[str, Any]) -> dict[str, str]:
        """New names for all that are taken, unless every definition is there already.

        All, because an equal one may refer to one that differs.
        """
        if all(_same(self.merged.get(name, one), one) for name, one in own.items()):
            return {}
        renamed = {}
        for name in own:
            candidate, number = name, 1
            while candidate in self.merged or (candidate != name and candidate in own):
                number += 1
                candidate = f"{name}_{number}"
            if candidate != name:
                renamed[name] = candidate
        return renamed


def _same(left: Any, right: Any) -> bool:
    # 1 == True in Python, so equality alone is not enough.
    return left is right or (left == right and repr(left) == repr(right))


def _rewritten(schema: Any, renamed: Mapping[str, str]) -> Any:
    """A copy with the references renamed; without any to rename, the very same."""
    if not renamed:
        return schema
    if isinstance(schema, list):
        return [_rewritten(item, renamed) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: _rewritten(value, renamed) for key, value in schema.items()}
    if isinstance(copy.get("$ref"), str):
        copy["$ref"] = _renamed(copy["$ref"], renamed)
    mapping = copy.get("mapping")  # of a discriminator
    if isinstance(mapping, dict):
        copy["mapping"] = {tag: _renamed(ref, renamed) for tag, ref in mapping.items()}
    return copy


def _renamed(ref: Any, renamed: Mapping[str, str]) -> Any:
    if isinstance(ref, str) and ref.startswith(_REFS):
        name = ref.removeprefix(_REFS)
        return _REFS + renamed.get(name, name)
    return ref
