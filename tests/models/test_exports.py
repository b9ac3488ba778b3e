"""What `toolcrib.models` offers is there, and says so alike to programs and to type checkers."""

import ast
from pathlib import Path

import pytest

from toolcrib import models


def test_every_public_name_is_there() -> None:
    for name in models.__all__:
        assert getattr(models, name).__name__ == name


def test_type_checkers_are_told_of_the_same_names() -> None:
    stub = ast.parse(Path(models.__file__ or "").with_suffix(".pyi").read_text(encoding="utf-8"))
    told = {
        alias.asname
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert told == set(models.__all__)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="OpenAICat"):
        getattr(models, "OpenAICat")  # noqa: B009
