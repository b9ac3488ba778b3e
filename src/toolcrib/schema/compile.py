"""A JSON Schema, marked or written by hand → the walk that checks and repairs values against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolcrib.schema.explain import Path, resolve
from toolcrib.schema.marks import MARK, Mark
from toolcrib.schema.numbers import NumberText
from toolcrib.schema.walk import Findings, Walk, anything, nothing
from toolcrib.schema.walk_arrays import array
from toolcrib.schema.walk_choices import choice
from toolcrib.schema.walk_objects import ObjectPlan, Property, object_of
from toolcrib.schema.walk_scalars import (
    boolean,
    integer,
    null,
    number,
    number_check,
    pattern_check,
    string,
    text_check,
)
from toolcrib.schema.walk_texts import MARKED_TEXTS, decimal
from toolcrib.schema.walk_unions import Branch, kind_of, optional, tagged_union, union
from toolcrib.schema.wanted import Wanted, describe

__all__ = ["Compiler"]

_TEXT_KEYS = frozenset({"minLength", "maxLength", "pattern"})
_NUMBER_KEYS = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_ARRAY_KEYS = frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems"})
_OBJECT_KEYS = frozenset(
    {
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
    }
)

_NULL = frozenset({"null"})
_NUMBERS = (int, float, NumberText)


class Compiler:
    """Compiles the nodes of one schema; `$ref`s are looked up in its root and compiled once.

    `typed`: pydantic validates afterwards, so what it checks better (patterns, multiples of a
    number) is left to it.
    """

    def __init__(self, root: Mapping[str, Any], *, typed: bool) -> None:
        self.root = root
        self.typed = typed
        self._refs: dict[str, Walk] = {}

    def walk_of(self, schema: Any) -> Walk:
        """The walk for one node."""
        if schema is False:
            return nothing
        if not isinstance(schema, Mapping):
            return anything
        mark = schema.get(MARK)
        if isinstance(mark, Mark):
            walk = self._marked(schema, mark)
            if walk is not None:
                return walk
        walks = [
            *([self._ref(schema["$ref"])] if isinstance(schema.get("$ref"), str) else ()),
            *self._combined(schema),
            self._own(schema, mark if isinstance(mark, Mark) else None),
        ]
        walks = [walk for walk in walks if walk is not anything]
        if isinstance(schema.get("not"), (Mapping, bool)):
            walks = [*(walks or [anything]), self._not(schema["not"])]
        if not walks:
            return anything
        return walks[0] if len(walks) == 1 else _one_after_another(walks)

    def words(self, schema: Any) -> Wanted:
        """What a node wants."""
        return Wanted(schema, self.root)

    # ---- one node --------------------------------------------------------------------------------

    def _marked(self, schema: Mapping[str, Any], mark: Mark) -> Walk | None:
        if mark.kind == "opaque":
            return anything
        if mark.kind == "decimal":
            return self._decimal(schema)
        if mark.kind in MARKED_TEXTS and schema.get("type") == "string":
            if mark.kind == "bytes" and "format" in schema:
                return None  # pydantic's own encodings, which it decodes itself
            return MARKED_TEXTS[mark.kind](self.words(schema))
        return None

    def _decimal(self, schema: Mapping[str, Any]) -> Walk:
        bounds: Mapping[str, Any] = next(iter(schema.get("anyOf", ())), {})
        fits = number_check(bounds, typed=True)
        read = decimal(self.words(schema))
        if fits is None:
            return read

        def walk(value: Any, path: Path, found: Findings) -> Any:
            before = len(found.problems)
            result = read(value, path, found)
            if len(found.problems) == before and not fits(result):
                found.problem(path, self.words(schema), value)
            return result

        return walk

    def _own(self, schema: Mapping[str, Any], mark: Mark | None) -> Walk:
        if isinstance(schema.get("enum"), list):
            return choice(schema["enum"], mark)
        if "const" in schema:
            return choice([schema["const"]], mark)
        kind = schema.get("type")
        if isinstance(kind, list):
            kinds = [one for one in kind if isinstance(one, str)]
            if len(kinds) != 1:
                nodes = [{**schema, "type": one} for one in kinds]
                branches = [
                    Branch(self._typed(node, one, mark), frozenset({one}))
                    for node, one in zip(nodes, kinds, strict=True)
                ]
                return union(branches, self.words(schema)) if branches else anything
            kind = kinds[0]
        return self._typed(schema, kind, mark)

    def _typed(self, schema: Mapping[str, Any], kind: Any, mark: Mark | None) -> Walk:
        words = self.words(schema)
        match kind:
            case "string":
                if self.typed and str(schema.get("format", "")).endswith("path"):
                    schema = {"minLength": 1, **schema}  # Path("") is the current directory
                return string(schema, words, typed=self.typed)
            case "integer":
                return integer(schema, words, typed=self.typed)
            case "number":
                return number(schema, words, typed=self.typed)
            case "boolean":
                return boolean(words)
            case "null":
                return null
            case "array":
                return self._array(schema, mark)
            case "object":
                return self._object(schema, mark)
            case _:
                return self._by_kind(schema)

    def _array(self, schema: Mapping[str, Any], mark: Mark | None) -> Walk:
        prefix = schema.get("prefixItems")
        item = schema.get("items", True)
        if isinstance(item, list):  # how older drafts write prefixItems
            prefix, item = item, schema.get("additionalItems", True)
        walks = [self.walk_of(one) for one in prefix] if isinstance(prefix, list) else []
        named = mark is not None and mark.kind == "named_tuple"
        names = [name or "" for name in mark.names] if mark is not None and named else []
        return array(schema, self.words(schema), self.walk_of(item), walks, names)

    def _object(self, schema: Mapping[str, Any], mark: Mark | None) -> Walk:
        return object_of(schema, self.words(schema), self.plan_of(schema, mark))

    def plan_of(self, schema: Mapping[str, Any], mark: Mark | None) -> ObjectPlan:
        """How to read the keys of an object."""
        properties = schema.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        needed = schema.get("required")
        needed = needed if isinstance(needed, list) else []
        plan = [
            Property(
                name,
                self.walk_of(one),
                name in needed,
                self.takes_null(one),
                self.words(one),
                _as_is(one),
            )
            for name, one in properties.items()
        ]
        rest = schema.get("additionalProperties")
        patterns = self._patterns(schema)
        others: Walk | None = None
        drops = False
        if isinstance(rest, Mapping) or rest is True:
            others = self.walk_of(rest)
        elif rest is None:
            # A model or TypedDict ignores unknown keys; a schema by hand allows them.
            drops = bool(mark is not None and mark.kind == "object" and not mark.keeps_unknown)
            others = None if drops or (self.typed and patterns) else anything
        keys = None if mark is None or mark.kind != "object" else mark.keys
        if keys is None:
            keys = schema.get("propertyNames")
        if isinstance(keys, Mapping) and not keys.keys() & {"type", "$ref", "anyOf"}:
            keys = {"type": "string", **keys}
        return ObjectPlan(
            properties=plan,
            others=others,
            drops_unknown=drops,
            also=mark.also if mark is not None and mark.kind == "object" else None,
            patterns=patterns,
            keys=None if keys is None else self.walk_of(keys),
            required=[n for n in needed if isinstance(n, str) and n not in properties],
        )

    def _patterns(self, schema: Mapping[str, Any]) -> list[tuple[Callable[[str], bool], Walk]]:
        patterns = schema.get("patternProperties")
        if not isinstance(patterns, Mapping):
            return []
        return [
            (check, self.walk_of(inner))
            for pattern, inner in patterns.items()
            if (check := pattern_check(pattern)) is not None
        ]

    def _by_kind(self, schema: Mapping[str, Any]) -> Walk:
        """A node without a type: what it says holds only for values of the kind it speaks of."""
        keys = schema.keys()
        text = text_check(schema, typed=self.typed) if keys & _TEXT_KEYS else None
        amount = number_check(schema, typed=self.typed) if keys & _NUMBER_KEYS else None
        items = self._array(schema, None) if keys & _ARRAY_KEYS else None
        members = self._object(schema, None) if keys & _OBJECT_KEYS else None
        if text is None and amount is None and items is None and members is None:
            return anything

        def walk(value: Any, path: Path, found: Findings) -> Any:
            kind = type(value)
            if kind is list and items is not None:
                return items(value, path, found)
            if kind is dict and members is not None:
                return members(value, path, found)
            result = anything(value, path, found)
            if kind is str and text is not None and not text(value):
                found.problem(path, describe({"type": "string", **schema}, self.root), value)
            elif (
                kind in _NUMBERS
                and amount is not None
                and not found.problems
                and not amount(result)
            ):
                found.problem(path, describe({"type": "number", **schema}, self.root), value)
            return result

        return walk

    # ---- several nodes for one value -------------------------------------------------------------

    def _combined(self, schema: Mapping[str, Any]) -> list[Walk]:
        walks: list[Walk] = []
        if isinstance(schema.get("allOf"), list):
            walks += [self.walk_of(one) for one in schema["allOf"]]
        for key in ("anyOf", "oneOf"):
            choices = schema.get(key)
            if isinstance(choices, list) and choices:
                walks.append(self._union(schema, key, choices))
        return walks

    def _union(self, schema: Mapping[str, Any], key: str, choices: list[Any]) -> Walk:
        words = self.words({key: choices})
        tags = schema.get("discriminator") if self.typed else None
        if isinstance(tags, Mapping) and isinstance(tags.get("mapping"), Mapping):
            return tagged_union(
                tags["propertyName"],
                {
                    name: self.walk_of({"$ref": one} if isinstance(one, str) else one)
                    for name, one in tags["mapping"].items()
                },
                words,
            )
        if len(choices) == 1:
            return self.walk_of(choices[0])
        others = [one for one in choices if self.kinds(one) != _NULL]
        if len(choices) == 2 and len(others) == 1 and not self.takes_null(others[0]):
            return optional(self.walk_of(others[0]))
        branches = [Branch(self.walk_of(one), self.kinds(one)) for one in choices]
        return union(branches, words, only_one=key == "oneOf" and not self.typed)

    def takes_null(self, schema: Any) -> bool:
        """Whether null can be a value of this node; also true when the node does not say."""
        kinds = self.kinds(schema)
        return not kinds or "null" in kinds

    def kinds(self, schema: Any, depth: int = 0) -> frozenset[str]:
        """The JSON types that a node can be; empty when it does not say."""
        if not isinstance(schema, Mapping) or depth > 8:
            return frozenset()
        mark = schema.get(MARK)
        if isinstance(mark, Mark) and mark.kind == "opaque":
            return frozenset()
        if isinstance(schema.get("$ref"), str):
            return self.kinds(resolve(schema["$ref"], self.root), depth + 1)
        kind = schema.get("type")
        if isinstance(kind, str):
            return frozenset({kind, "integer"} if kind == "number" else {kind})
        if isinstance(kind, list):
            return frozenset(one for one in kind if isinstance(one, str))
        if isinstance(schema.get("enum"), list):
            return frozenset(kind_of(one) for one in schema["enum"])
        if "const" in schema:
            return frozenset({kind_of(schema["const"])})
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list):
                each = [self.kinds(one, depth + 1) for one in schema[key]]
                return frozenset().union(*each) if all(each) else frozenset()
        return frozenset()

    def _ref(self, ref: str) -> Walk:
        found = self._refs.get(ref)
        if found is not None:
            return found

        # While it is being compiled, inner references to it go through this door.
        def later(value: Any, path: Path, findings: Findings) -> Any:
            return self._refs[ref](value, path, findings)

        self._refs[ref] = later
        self._refs[ref] = walk = self.walk_of(self._target(ref))
        if walk is later:
            self._refs[ref] = walk = anything
        return walk

    def _target(self, ref: str) -> Any:
        """What a reference finally points to; anything for a circle of references only."""
        seen = {ref}
        target = resolve(ref, self.root)
        while isinstance(target, Mapping) and isinstance(target.get("$ref"), str):
            if target["$ref"] in seen:
                return True
            if len(target) > 1:
                break
            seen.add(target["$ref"])
            target = resolve(target["$ref"], self.root)
        return target

    def _not(self, schema: Any) -> Walk:
        inner = self.walk_of(schema)

        def walk(value: Any, path: Path, found: Findings) -> Any:
            trial = found.try_choice()
            inner(value, path, trial)
            if not trial.problems and not trial.repairs:
                found.problem(path, f"anything but {describe(schema, self.root)}", value)
            return value

        return walk


def _as_is(schema: Any) -> type | None:
    """The type whose values all fit a node that says nothing but its type."""
    plain = isinstance(schema, Mapping) and schema.keys() <= _SAYING_NOTHING
    return _AS_IS.get(schema["type"]) if plain and isinstance(schema.get("type"), str) else None


_SAYING_NOTHING = frozenset({"type", "description", "default", "examples", "title"})
_AS_IS: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool}


def _one_after_another(walks: list[Walk]) -> Walk:
    def walk(value: Any, path: Path, found: Findings) -> Any:
        for one in walks:
            before = len(found.problems)
            value = one(value, path, found)
            if len(found.problems) > before:
                break  # the same value would only be blamed again
        return value

    return walk
