"""When a request is sent again, and after what time."""

import pytest

from toolcrib import ConfigurationError, ModelError
from toolcrib.wire.timing import Retries, Timeout

PASSING = ModelError("busy", status=503, retryable=True)
INF = float("inf")


def test_what_cannot_pass_is_not_tried_again() -> None:
    assert Retries().wait(1, ModelError("no", status=400), 0.5, INF) is None


def test_attempts_are_counted() -> None:
    retries = Retries(times=2)
    assert retries.wait(2, PASSING, 0.5, INF) is not None
    assert retries.wait(3, PASSING, 0.5, INF) is None
    assert Retries(times=0).wait(1, PASSING, 0.5, INF) is None


@pytest.mark.parametrize(("failed", "bound"), [(1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (9000, 5.0)])
def test_waits_are_drawn_from_a_bound_that_doubles_up_to_a_limit(failed: int, bound: float) -> None:
    retries = Retries(times=10_000, first_wait=1.0, longest_wait=5.0)
    assert retries.wait(failed, PASSING, 0.0, INF) == 0.0
    assert retries.wait(failed, PASSING, 0.5, INF) == bound / 2


def test_the_wait_that_a_server_names_is_kept_to() -> None:
    asked = ModelError("slow down", retryable=True, retry_after=7.0)
    assert Retries(longest_wait=1.0).wait(1, asked, 0.9, INF) == 7.0


def test_a_server_that_wants_too_long_a_wait_is_told_of_at_once() -> None:
    asked = ModelError("tomorrow", retryable=True, retry_after=86_400.0)
    assert Retries().wait(1, asked, 0.5, INF) is None


def test_nobody_waits_beyond_the_deadline() -> None:
    asked = ModelError("slow down", retryable=True, retry_after=7.0)
    assert Retries().wait(1, asked, 0.5, 6.9) is None
    assert Retries().wait(1, asked, 0.5, 7.1) == 7.0
    assert Retries().wait(1, PASSING, 0.0, -1.0) is None


@pytest.mark.parametrize("field", ["total", "connect", "read"])
@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_a_timeout_must_be_above_zero(field: str, seconds: float) -> None:
    with pytest.raises(ConfigurationError, match="above 0"):
        Timeout(**{field: seconds})


def test_retries_cannot_be_negative() -> None:
    with pytest.raises(ConfigurationError, match="negative"):
        Retries(times=-1)
