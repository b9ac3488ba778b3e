"""Dialects are found by name."""

from __future__ import annotations

import pytest

from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.dialects.registry import find_dialect
from toolcrib.errors import ConfigurationError


def test_a_dialect_is_found_by_its_name() -> None:
    assert find_dialect("openai-chat") is DIALECT
    assert DIALECT.name == "openai-chat"


def test_an_unknown_dialect_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"no dialect named 'klingon'.*openai-chat"):
        find_dialect("klingon")
