"""Every recorded coercion case comes out as its `ideal` column says."""

import datetime
import functools
import importlib.util
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cases import files, params, rows
from tests.schema.reading import reader_of
from toolcrib.errors import ToolArgumentsError

ROWS = rows("coercion-cases.jsonl")


@functools.cache
def types_of_cases() -> Mapping[str, Any]:
    (path,) = files("coercion/coercion_types.py")
    spec = importlib.util.spec_from_file_location("coercion_types", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # where dataclasses look for their annotations
    spec.loader.exec_module(module)
    return dict(vars(module))


def argument_text(row: Mapping[str, Any]) -> str:
    if row.get("model_json") is not None:
        return str(row["model_json"])
    return str(eval(row["model_json_generator"], {"__builtins__": {}}))


def expected_values(row: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    text = row["ideal"]["value"]
    if text == "(no arguments)":
        return {}
    # In the column, `datetime` is the module; in the types it is the class.
    space = {**types_of_cases(), "datetime": datetime, "UTC": datetime.UTC}
    if len(names) == 1:
        return {names[0]: eval(text, space)}
    return dict(eval(f"dict({text})", space))


@pytest.mark.parametrize("row", params(ROWS))
def test_a_recorded_case_comes_out_as_is_ideal(row: dict[str, Any]) -> None:
    reader = reader_of(row["signature"], types_of_cases())
    if row["ideal"]["outcome"] == "reject":
        with pytest.raises(ToolArgumentsError):
            reader.read(argument_text(row))
        return
    read = reader.read(argument_text(row))
    expected = expected_values(row, list(read.values))
    assert read.values == expected
    assert {k: type(v) for k, v in read.values.items()} == {k: type(v) for k, v in expected.items()}
