"""How the arguments of one tool are read, compiled from its parameters or its JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from toolcrib.schema.compile import Compiler
from toolcrib.schema.explain import Path, resolve
from toolcrib.schema.final import Validate, problems_of, validation_of
from toolcrib.schema.marks import MARK, Mark
from toolcrib.schema.parameters import Parameter
from toolcrib.schema.types import type_schema
from toolcrib.schema.walk import Findings, Walk, anything
from toolcrib.values import value

__all__ = ["Plan", "Slot", "fill", "plan_of_parameters", "plan_of_schema"]


@value
class Slot:
    """One top-level argument."""

    name: str
    python_name: str
    path: Path
    walk: Walk
    words: Callable[[], str]
    required: bool
    takes_null: bool
    make_default: Callable[[], Any] | None = None
    none_when_absent: bool = False
    plain: bool = False
    """Whether the walk gives JSON, as for a hand-written schema; otherwise Python values."""
    validate: Validate | None = None
    """The last word on what the walk gave; None where the walk has it."""


@value
class Plan:
    """All of them."""

    slots: tuple[Slot, ...]
    names: tuple[str, ...]
    known: frozenset[str]
    lone_fields: tuple[str, ...] | None = None
    """The properties of the only parameter, when it is an object."""
    others: Walk | None = None
    """Walks further arguments; None when there may be none."""
    rest: Walk | None = None
    """Checks the whole once more, for what a schema says beside `properties`."""


def plan_of_parameters(parameters: Sequence[Parameter]) -> Plan:
    """For a Python function."""
    slots = []
    lone = None
    for parameter in parameters:
        known = type_schema(parameter.annotation)
        compiler = Compiler(known.schema, typed=True)
        slots.append(
            Slot(
                name=parameter.name,
                python_name=parameter.python_name,
                path=(None, parameter.name),
                walk=compiler.walk_of(known.schema),
                words=compiler.words(known.schema),
                required=parameter.required,
                takes_null=compiler.takes_null(known.schema),
                make_default=parameter.make_default,
                none_when_absent=parameter.nullable,
                validate=validation_of(known),
            )
        )
        lone = _fields_of(known.schema, known.schema)
    return _plan(slots, lone)


def plan_of_schema(schema: Mapping[str, Any]) -> Plan:
    """For a JSON Schema written by hand. A root without a type is an object."""
    compiler = Compiler(schema, typed=False)
    root = schema
    while isinstance(root.get("$ref"), str) and "properties" not in root:
        target = resolve(root["$ref"], schema)
        if not isinstance(target, Mapping) or target is root:
            break
        root = target
    mark = root.get(MARK)
    plan = compiler.plan_of(root, mark if isinstance(mark, Mark) else None)
    slots = [
        Slot(
            one.name,
            one.name,
            (None, one.name),
            one.walk,
            one.words,
            one.required,
            one.takes_null,
            plain=True,
        )
        for one in plan.properties
    ]
    properties = root.get("properties")
    lone = None
    if isinstance(properties, Mapping) and len(properties) == 1:
        lone = _fields_of(next(iter(properties.values())), schema)
    others = plan.others
    if "additionalProperties" not in root and isinstance(properties, Mapping):
        others = None  # an argument nobody declared was meant to do something
    if plan.patterns or plan.keys is not None:
        inner = compiler.walk_of(
            {"type": "object", **{k: root[k] for k in _KEY_RULES & root.keys()}}
        )
        return _plan(slots, lone, anything, _both(inner, _rest(root, compiler)))
    return _plan(slots, lone, others, _rest(root, compiler))


_KEY_RULES = frozenset({"properties", "patternProperties", "additionalProperties", "propertyNames"})
_BESIDE = ("allOf", "anyOf", "oneOf", "not", "minProperties", "maxProperties")


def _rest(root: Mapping[str, Any], compiler: Compiler) -> Walk | None:
    beside = {key: root[key] for key in _BESIDE if key in root}
    return compiler.walk_of(beside) if beside else None


def _both(first: Walk, second: Walk | None) -> Walk:
    if second is None:
        return first

    def walk(value: Any, path: Path, found: Findings) -> Any:
        return second(first(value, path, found), path, found)

    return walk


def _plan(
    slots: Sequence[Slot],
    lone: tuple[str, ...] | None,
    others: Walk | None = None,
    rest: Walk | None = None,
) -> Plan:
    names = tuple(slot.name for slot in slots)
    return Plan(
        slots=tuple(slots),
        names=names,
        known=frozenset(names),
        lone_fields=lone if len(slots) == 1 else None,
        others=others,
        rest=rest,
    )


def _fields_of(schema: Any, root: Mapping[str, Any], depth: int = 0) -> tuple[str, ...] | None:
    """The properties of an object or of several, maybe beside null; None for anything else."""
    if not isinstance(schema, Mapping) or depth > 8:
        return None
    if isinstance(schema.get("$ref"), str):
        return _fields_of(resolve(schema["$ref"], root), root, depth + 1)
    choices = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(choices, list):
        others = [one for one in choices if one != {"type": "null"}]
        each = [_fields_of(one, root, depth + 1) for one in others]
        return tuple(name for one in each for name in one or ()) if all(each) else None
    properties = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, Mapping) or not properties:
        return None
    mark = schema.get(MARK)
    also = tuple(mark.also) if isinstance(mark, Mark) else ()
    return (*properties, *also)


def fill(slot: Slot, members: Mapping[str, Any], values: dict[str, Any], found: Findings) -> None:
    """Put the value of one argument in its place, or note what is wrong with it."""
    if slot.name not in members:
        if slot.make_default is not None:
            values[slot.python_name] = slot.make_default()
        elif slot.required:
            found.missing(slot.path, slot.words)
        elif slot.none_when_absent:
            values[slot.python_name] = None
        return
    value = members[slot.name]
    if value is None and not slot.required and not slot.takes_null:
        if slot.make_default is not None:
            values[slot.python_name] = slot.make_default()
            found.repair(slot.path, "read null as left out, so the default is used")
        else:
            found.repair(slot.path, "read null as left out")
        return
    problems, repairs = len(found.problems), len(found.repairs)
    walked = slot.walk(value, slot.path, found)
    if len(found.problems) > problems:
        if not slot.required:
            found.may_be_left_out(slot.path, value)
        return
    if slot.plain and len(found.repairs) > repairs and not _is_exact(slot, walked):
        # One repair undid what another part of the schema had already allowed.
        found.problem(slot.path, slot.words, value)
    if slot.validate is not None:
        walked = _validated(slot.validate, slot.path, walked, found)
    values[slot.python_name] = walked


def _validated(validate: Validate, path: Path, value: Any, found: Findings) -> Any:
    try:
        return validate(value)
    except ValidationError as error:
        found.problems += problems_of(error, path, value)
    except RecursionError:
        raise
    except Exception as error:  # of a user's validator: its text may say what no model should read
        found.cause = error
        found.problem(path, "a value that its check accepts; the check itself failed", value)
    return value


def _is_exact(slot: Slot, value: Any) -> bool:
    again = Findings()
    slot.walk(value, slot.path, again)
    return not again.problems and not again.repairs
