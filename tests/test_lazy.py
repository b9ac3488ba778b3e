"""What is loaded late behaves as if it had been there all the time."""

from __future__ import annotations

import asyncio
import logging
import re
import subprocess
import sys
from concurrent.futures import Executor

import anyio
import pytest

from toolcrib import late
from toolcrib.lazy import lazy_pattern
from toolcrib.logs import logger


def test_a_late_module_gives_what_the_module_has() -> None:
    assert late.asyncio.CancelledError is asyncio.CancelledError
    assert late.futures.Executor is Executor
    assert late.logging.getLogger is logging.getLogger
    assert late.anyio.CancelScope is anyio.CancelScope
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = late.asyncio.no_such_name  # type: ignore[attr-defined]


def test_a_lazy_pattern_matches_as_the_pattern_does() -> None:
    late = lazy_pattern(r"[a-z]+", re.IGNORECASE)
    assert late.pattern == "[a-z]+"
    assert [late.fullmatch(text) is not None for text in ("Ab", "a1", "Ab")] == [True, False, True]


def test_a_program_that_configured_no_logging_sees_nothing() -> None:
    program = "from toolcrib.logs import logger; logger('tools').warning('something')"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert (run.stdout, run.stderr) == ("", "")


def test_a_program_that_listens_is_told(caplog: pytest.LogCaptureFixture) -> None:
    logger("tools").warning("something")
    assert [(one.name, one.message) for one in caplog.records] == [("toolcrib.tools", "something")]
    assert len(logging.getLogger("toolcrib").handlers) == 1
