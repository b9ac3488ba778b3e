"""The arguments of a call as a whole: envelopes, defaults, null, unknown names, all problems at once."""

import json
import threading
from typing import Any

import pytest

from tests.schema.reading import TYPES, Dog, Order, problems, read, reader_of, refusal
from toolcrib.errors import ToolArgumentsError
from toolcrib.schema.arguments import ArgumentReader
from toolcrib.schema.parameters import Parameter

CITY = 'city: str, unit: Literal["celsius", "fahrenheit"] | None = None'
PARIS = {"city": "Paris", "unit": None}


@pytest.mark.parametrize(
    "text", ["", "  \n", "null", '""', '"null"', "[]", "{}", '{"": ""}', '{"_": {}}', '{"_": ""}']
)
def test_no_arguments_may_be_written_in_many_ways(text: str) -> None:
    assert read("", text).values == {}
    assert read("x: int = 5", text).values == {"x": 5}


@pytest.mark.parametrize(
    "text",
    [
        '{"City": "Paris"}',
        '{"arguments": {"city": "Paris"}}',
        '{"parameters": {"city": "Paris"}}',
        '{"properties": {"CITY": "Paris"}}',
        '{"_": {"city": "Paris"}}',
        '{"arguments": "{\\"city\\": \\"Paris\\"}"}',
        '"{\\"city\\": \\"Paris\\"}"',
        '{"parameters": {"arguments": {"city": "Paris"}}}',
        '{"name": "tool", "arguments": {"city": "Paris"}}',
        '{"type": "object", "properties": {"city": "Paris"}}',
        json.dumps(json.dumps('{"city": "Paris"}')),
        '{"": "", "arguments": {"city": "Paris"}}',
        '{"city": "Paris", "": null}',
        '```json\n{"city": "Paris"}\n```',
    ],
)
def test_an_envelope_around_the_arguments_is_opened_and_noted(text: str) -> None:
    found = read(CITY, text)
    assert found.values == PARIS
    assert found.repairs


@pytest.mark.parametrize("key", ["cityName", "city-name", "CITY_NAME", "cityname"])
def test_a_name_is_found_by_folding(key: str) -> None:
    assert read("city_name: str", json.dumps({key: "Paris"})).values == {"city_name": "Paris"}


def test_a_name_that_two_keys_or_two_parameters_fit_is_not_guessed() -> None:
    (unknown,) = refusal("city_name: str = '', cityname: str = ''", '{"cityName": "Paris"}')
    assert unknown.path == "cityName"
    both = refusal("city: str = ''", '{"City": "Paris", "CITY": "Rome"}')
    assert [problem.path for problem in both] == ["City", "CITY"]
    (beside,) = refusal("city: str", '{"city": "Paris", "City": "Rome"}')
    assert beside.path == "City"


def test_a_wrapper_with_other_keys_inside_is_named_as_unknown() -> None:
    found = refusal(CITY, '{"arguments": {"town": "Paris"}}')
    assert [problem.path for problem in found] == ["city", "arguments"]


def test_a_parameter_with_the_name_of_a_wrapper_is_no_wrapper() -> None:
    found = read("arguments: dict[str, str]", '{"arguments": {"arguments": "x"}}')
    assert found.values == {"arguments": {"arguments": "x"}}


def test_the_fields_of_the_only_object_may_lie_at_top_level() -> None:
    text = '{"items": [{"sku": "a", "qty": "2"}], "note": "quick"}'
    found = read("order: Order", text)
    assert found.values == {"order": Order(items=[{"sku": "a", "qty": 2}], note="quick")}
    assert found.repairs
    assert read("order: Order | None = None", text).values == found.values
    assert read("order: Order", f'{{"arguments": {text}}}').values == found.values
    assert read("pet: Pet", '{"kind": "dog"}').values == {"pet": Dog(kind="dog")}


def test_fields_at_top_level_are_not_gathered_beside_other_parameters() -> None:
    found = refusal("order: Order, quick: bool = False", '{"items": [], "note": null}')
    assert {problem.path for problem in found} == {"order", "items", "note"}


@pytest.mark.parametrize(
    "text", ['["Paris"]', '"Paris"', "Paris", "3", "true", '[{"city": "Paris"}]']
)
def test_what_is_no_object_is_refused_as_a_whole(text: str) -> None:
    (problem,) = refusal(CITY, text)
    assert problem.path == ""
    assert "object" in problem.expected


def test_an_unknown_name_is_refused_with_the_allowed_ones_nearest_first() -> None:
    (problem,) = refusal("path: str = '', dry_run: bool = False", '{"dry_runn": true}')
    assert problem.path == "dry_runn"
    assert problem.allowed == ("dry_run", "path")


def test_an_unknown_name_is_dropped_and_noted_where_that_is_asked_for() -> None:
    found = read("path: str", '{"path": "a", "dry_runn": true}', unknown="drop")
    assert found.values == {"path": "a"}
    assert [repair.path for repair in found.repairs] == ["dry_runn"]


def test_an_unknown_name_is_told_with_all_else_that_is_wrong_even_where_it_could_be_dropped() -> (
    None
):
    (missing, unknown) = refusal("city: str", '{"town": "Paris"}', unknown="drop")
    assert (missing.path, missing.received) == ("city", None)
    assert (unknown.path, unknown.allowed) == ("town", ("city",))


@pytest.mark.parametrize("text", ['{"arguments": null}', '{"": ""}', '{"_": {"a": 1}}'])
def test_where_any_name_is_allowed_each_means_itself(text: str) -> None:
    for schema in ({}, {"properties": {"x": {"type": "integer"}}, "additionalProperties": True}):
        assert ArgumentReader("tool", schema).read(text).values == json.loads(text)


def test_a_call_of_another_tool_is_no_envelope() -> None:
    found = refusal("city: str", '{"name": "other", "arguments": {"city": "Paris"}}')
    assert [problem.path for problem in found] == ["city", "name", "arguments"]


def test_an_unknown_key_inside_is_dropped_or_refused_as_its_type_says() -> None:
    found = read("x: Order", '{"x": {"items": [], "more": 1}}')
    assert found.values["x"] == Order(items=[])
    assert [repair.path for repair in found.repairs] == ["x.more"]
    (problem,) = refusal("x: Sealed", '{"x": {"code": "a", "more": 1}}')
    assert problem.path == "x.more"
    assert problem.allowed == ("code",)


def test_a_nullable_parameter_without_default_arrives_as_none() -> None:
    assert read("x: int | None", "{}").values == {"x": None}


def test_null_means_null_where_it_may_and_the_default_where_it_may_not() -> None:
    assert read("x: int | None = 5", '{"x": null}').values == {"x": None}
    found = read("x: int = 5", '{"x": null}')
    assert found.values == {"x": 5}
    assert [repair.path for repair in found.repairs] == ["x"]


def test_null_for_a_required_parameter_is_an_error() -> None:
    (problem,) = refusal("x: int", '{"x": null}')
    assert (problem.path, problem.received) == ("x", "null")


def test_a_default_is_fresh_for_each_call() -> None:
    reader = reader_of("x: list[int] = []")
    reader.read("{}").values["x"].append(1)
    assert reader.read("{}").values == {"x": []}


@pytest.mark.parametrize(
    "annotation", ["int", "str", "bool", "list[int]", "Order", "Any", "Color", "dict[str, int]"]
)
def test_a_missing_argument_of_any_type_is_an_error(annotation: str) -> None:
    (problem,) = refusal(f"x: {annotation}", "{}")
    assert (problem.path, problem.received) == ("x", None)


def test_every_problem_is_told_at_once_in_the_order_of_the_schema() -> None:
    signature = "days: int, unit: Literal['c', 'f'], order: Order, quick: bool = False"
    text = '{"extra": 1, "quick": "no", "order": {"items": [{"qty": 0}]}, "days": "many"}'
    with pytest.raises(ToolArgumentsError) as raised:
        reader_of(signature).read(text)
    assert [problem.path for problem in raised.value.problems] == [
        "days",
        "unit",
        "order.items[0].sku",
        "order.items[0].qty",
        "quick",
        "extra",
    ]
    told = str(raised.value)
    assert '"many"' in told
    assert "pydantic" not in told
    assert "http" not in told


def test_names_of_python_and_of_the_model_may_differ() -> None:
    reader = ArgumentReader("tool", None, [Parameter("from", "from_", str, True, False)])
    assert reader.read('{"from": "a"}').values == {"from_": "a"}


def test_names_that_pydantic_reserves_are_ordinary() -> None:
    text = '{"model_config": 1, "schema": 2, "json": 3, "_x": 4}'
    found = read("model_config: int, schema: int, json: int, _x: int", text)
    assert list(found.values.values()) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"x": "9" * 1_000_000}),
        json.dumps({"x" * 1_000_000: 1}),
        json.dumps({"x": ["a"] * 100_000}),
        '{"x": ' + "a" * 1_000_000,
        json.dumps({f"key{number}": number for number in range(20_000)}),
    ],
    ids=["value", "key", "items", "text", "keys"],
)
def test_what_is_told_of_a_huge_text_is_short(text: str) -> None:
    with pytest.raises(ToolArgumentsError) as raised:
        reader_of("x: list[int]").read(text)
    assert len(str(raised.value)) < 20_000
    assert len(raised.value.problems) <= 51
    assert all(len(problem.received or "") <= 82 for problem in raised.value.problems)


def test_a_cut_off_text_is_never_completed() -> None:
    (problem,) = refusal("x: list[str]", '{"x": ["a", "b"')
    assert "cut off" in problem.expected


def test_quotes_that_were_not_escaped_do_not_run_the_tool_without_arguments() -> None:
    (problem,) = refusal("code: str = ''", '{"code": "print("hi")"}')
    assert problem.path == ""
    assert problem.received is not None
    assert "print(" in problem.received


def test_half_a_surrogate_pair_is_refused_wherever_it_is() -> None:
    found = refusal("x: Any", r'{"x": {"a": ["\ud83d"], "\udc00": 1}}')
    assert len(found) == 2
    assert found[0].path == "x.a[0]"
    str(found).encode()
    assert read("x: str", r'{"x": "\ud83d\ude00"}').values == {"x": "😀"}


def test_deep_nesting_is_an_answer_and_not_a_crash() -> None:
    deep = '{"x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    for signature in ("x: Any", "x: Node", "x: list[Any]"):
        (problem,) = refusal(signature, deep)
        assert "nested" in problem.expected


def test_one_reader_serves_many_threads() -> None:
    reader = reader_of("x: int, order: Order")
    text = '{"x": "1", "order": {"items": [{"sku": "a", "qty": 1}]}}'
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append(reader.read(text).values["x"]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 8


def test_a_union_that_could_be_tried_without_end_is_given_up() -> None:
    branch = {"type": "object", "properties": {"a": {"$ref": "#/$defs/N"}}}
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/N"}},
        "$defs": {
            "N": {"anyOf": [{**branch, "required": [f"missing{number}"]} for number in range(4)]}
        },
    }
    text = '{"x": ' + '{"a": ' * 60 + "1" + "}" * 60 + "}"
    (problem,) = problems(ArgumentReader("tool", schema), text)
    assert "too long" in problem.expected


def test_the_parameters_of_types_defined_alike_do_not_mix() -> None:
    assert type(read("x: Literal[1]", '{"x": 1}').values["x"]) is int
    assert type(read("x: Literal[True]", '{"x": true}').values["x"]) is bool
    assert TYPES["Order"] is Order
