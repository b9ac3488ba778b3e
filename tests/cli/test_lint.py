"""Each rule of the lint finds its kind, and tools without faults have no findings."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from toolcrib.cli.lint import Finding, lint
from toolcrib.tools.define import tool_from_schema
from toolcrib.tools.definition import ToolDefinition
from toolcrib.tools.function import tool
from toolcrib.tools.tool import Tool, ToolOptions


def made(
    name: str = "get_price",
    schema: dict[str, Any] | None = None,
    description: str | None = "What an item costs.",
    **options: Any,
) -> Tool:
    one = Tool()
    kept = {key: options.pop(key) for key in ("timeout", "idempotent") if key in options}
    one.definition = ToolDefinition(name, description, schema, **options)
    one.options = ToolOptions(**kept)
    return one


def of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


TEXT = {"type": "string", "description": "An item."}


def levels(tools: list[Tool]) -> set[tuple[str, str]]:
    return {(finding.level, finding.rule) for finding in lint(tools)}


def test_good_tools_have_no_findings() -> None:
    @tool(effect="read")
    def get_price(item: str, currency: Literal["EUR", "NOK"] = "EUR") -> float:
        """What an item costs.

        Args:
            item: Its name.
            currency: In which currency.
        """
        return 1.0

    nested = of({"a": {"description": "An a.", "$ref": "#/$defs/A"}}, **{"$defs": {"A": TEXT}})
    assert lint([get_price, made("no_arguments"), made("nested", nested, "Something nested.")]) == [
        Finding(
            "warning",
            "same-description",
            None,
            "'get_price' and 'no_arguments' have the same description",
        )
    ]


DEEP: dict[str, Any] = TEXT
for _ in range(12):
    DEEP = of({"a": DEEP}, description="Deep.")

KINDS: list[tuple[str, str, Tool]] = [
    ("warning", "name-not-portable", made("preis.holen")),
    ("warning", "name-not-portable", made("n" * 65)),
    ("error", "no-description", made(description=None)),
    ("error", "no-description", made(description="  ")),
    ("warning", "empty-description", made(description="Get price.")),
    ("warning", "long-description", made(description="x" * 1025)),
    ("warning", "no-parameter-description", made(schema=of({"a": {"type": "string"}}))),
    ("error", "schema-not-an-object", made(schema={"type": "array", "items": TEXT})),
    ("warning", "schema-root-choice", made(schema={"type": "object", "anyOf": [of({"a": TEXT})]})),
    ("warning", "schema-large", made(schema=of({"a": {**TEXT, "description": "x" * 20_000}}))),
    ("warning", "schema-deep", made(schema=DEEP)),
    ("error", "schema-type", made(schema=of({"a": {**TEXT, "type": "float"}}))),
    ("note", "schema-type-list", made(schema=of({"a": {**TEXT, "type": ["string", "integer"]}}))),
    ("warning", "schema-required", made(schema=of({"a": TEXT}, required=["b"]))),
    (
        "error",
        "schema-required",
        made(schema=of({"a": TEXT}, required=["b"], additionalProperties=False)),
    ),
    ("error", "schema-key", made(schema=of({"item name": TEXT}))),
    ("error", "schema-ref", made(schema=of({"a": {"$ref": "#/$defs/None", "title": "A"}}))),
    ("error", "schema-ref", made(schema=of({"a": {"$ref": "https://x.test/s", "title": "A"}}))),
    ("warning", "schema-keyword", made(schema=of({"a": {**TEXT, "not": {"const": "x"}}}))),
    ("error", "schema-enum", made(schema=of({"a": {**TEXT, "enum": []}}))),
    (
        "error",
        "schema-enum",
        made(schema=of({"a": {**TEXT, "enum": [str(n) for n in range(501)]}})),
    ),
    (
        "warning",
        "schema-items",
        made(schema=of({"a": {"type": "array", "description": "A list."}})),
    ),
    ("warning", "schema-anything", made(schema=of({"a": {"description": "Whatever."}}))),
    (
        "error",
        "strict-open-object",
        made(
            schema=of({"a": {"type": "object", "title": "A", "additionalProperties": TEXT}}),
            strict=True,
        ),
    ),
    (
        "error",
        "strict-open-object",
        made(schema=of({"a": {"type": "object", "title": "A"}}), strict=True),
    ),
    ("warning", "reads-by-its-word-only", made("delete_item", effect="read")),
    ("note", "effect-not-said", made("sendMail")),
    ("note", "write-not-idempotent", made(effect="write")),
    ("warning", "timeout-of-a-write", made(effect="write", timeout=5.0)),
]


@pytest.mark.parametrize(("level", "rule", "one"), KINDS, ids=[rule for _, rule, _ in KINDS])
def test_each_kind_of_fault_is_found(level: str, rule: str, one: Tool) -> None:
    found = [(finding.level, finding.rule, finding.tool) for finding in lint([one])]
    assert (level, rule, one.name) in found


@pytest.mark.parametrize(
    "one",
    [
        made(effect="write", idempotent=True, timeout=5.0),
        made("delete_item", effect="write", idempotent=True),
        made("settings"),
        made(schema=of({"a": {"type": ["string", "null"], "description": "A."}})),
        made(schema=of({"a": {"type": "object", "additionalProperties": TEXT, "title": "A"}})),
        made(schema=of({"a": {"$ref": "#", "title": "A"}})),
        made(schema={}),
    ],
)
def test_what_is_no_fault_is_not_found(one: Tool) -> None:
    assert lint([one]) == []


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["get_user", "getUser"], ("error", "ambiguous-names")),
        (["list_order", "list_orders"], ("warning", "similar-names")),
        (["get_customer", "get_costumer"], ("warning", "similar-names")),
        (["get_customer_order", "set_customer_order"], None),
        (["encode_text", "decode_text"], None),
        (["create_order", "update_order"], None),
        (["uploadFile", "uploadFiles"], ("warning", "similar-names")),
        (["step_1", "step_2"], None),
        (["add", "sub"], None),
    ],
)
def test_names_that_are_easily_confused_are_found(
    names: list[str], found: tuple[str, str] | None
) -> None:
    tools = [made(name, description=f"About {name}.", effect="read") for name in names]
    about_names = {one for one in levels(tools) if one[1].endswith("names")}
    assert about_names == ({found} if found else set())


@pytest.mark.parametrize(
    ("count", "found"),
    [
        (20, set()),
        (21, {("warning", "many-tools")}),
        (129, {("error", "too-many-tools")}),
    ],
)
def test_too_many_tools_are_found(count: int, found: set[tuple[str, str]]) -> None:
    tools = [made(f"look_{n}", description=f"Look at {n}.") for n in range(count)]
    assert levels(tools) == found


def test_a_foreign_schema_of_any_shape_does_not_break_the_lint() -> None:
    odd = json.loads('{"type": "object", "properties": [], "required": "a", "anyOf": 1, "$ref": 3}')
    lint([made(schema=odd), made(schema=of({"a": True, "b": None, "c": []}))])


def test_tools_from_schemas_are_checked_like_others() -> None:
    one = tool_from_schema(
        of({"a": TEXT}, required=["a"]), lambda a: a, name="echo", description="Echoes."
    )
    assert lint([one]) == []
