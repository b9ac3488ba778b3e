"""A deadline ends its own waits, and nobody else's."""

import asyncio

import pytest

from toolcrib import ModelError
from toolcrib.wire.deadline import Deadline


async def forever() -> None:
    await asyncio.Event().wait()


async def give(value: str) -> str:
    await asyncio.sleep(0)
    return value


async def until_passed(deadline: Deadline) -> None:
    with pytest.raises(ModelError):
        await deadline.wait(forever)


async def test_what_is_in_time_is_given() -> None:
    deadline = Deadline(10)
    assert await deadline.wait(give, "a") == "a"
    assert 0 < deadline.left <= 10
    deadline.cancel()


async def test_what_takes_too_long_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="in time") as raised:
        await Deadline(0.01).wait(forever)
    assert raised.value.code == "timeout"


async def test_nothing_begins_when_the_time_has_come() -> None:
    deadline = Deadline(0.01)
    await until_passed(deadline)
    begun: list[str] = []

    async def begin() -> None:
        begun.append("begun")

    with pytest.raises(ModelError):
        await deadline.wait(begin)
    assert begun == []
    assert deadline.left <= 0


async def test_whoever_does_something_else_meanwhile_is_left_alone() -> None:
    deadline = Deadline(0.01)
    other = Deadline(0.02)
    await until_passed(other)  # the first passes while this task waits for the second
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0)
    with pytest.raises(ModelError):
        await deadline.wait(forever)


async def test_without_a_time_it_never_comes() -> None:
    deadline = Deadline(None)
    assert await deadline.wait(give, "a") == "a"
    assert deadline.left == float("inf")
    deadline.cancel()


async def test_a_cancellation_from_outside_stays_one() -> None:
    waiting = asyncio.Event()

    async def wait() -> None:
        waiting.set()
        await Deadline(10).wait(forever)

    task = asyncio.create_task(wait())
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()


async def test_a_cancellation_of_its_own_leaves_no_trace() -> None:
    await until_passed(Deadline(0.01))
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    assert await Deadline(10).wait(give, "a") == "a"
