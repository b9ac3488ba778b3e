"""The pytest plugin: fixtures for scripted models, recordings, and a guard against real requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NoReturn, Protocol

import pytest

from toolcrib.chat import ChatModel
from toolcrib.testing.complaints import RealRequest
from toolcrib.testing.recorder import Recorder, Replay
from toolcrib.testing.script import StepLike
from toolcrib.testing.scripted_model import ScriptedModel
from toolcrib.testing.secrets import redact as default_redact

__all__ = ["cassette", "no_model_requests", "scripted_model"]


_FAILED = pytest.StashKey[bool]()


class MakeScriptedModel(Protocol):
    """Makes a scripted model that is checked when the test is over."""

    def __call__(
        self,
        steps: Iterable[StepLike] = (),
        *,
        forever: StepLike | None = None,
        name: str = "scripted",
    ) -> ScriptedModel:
        """Takes what `ScriptedModel` takes."""
        ...


class MakeCassette(Protocol):
    """Makes a recorded model; see the fixture `cassette`."""

    def __call__(
        self,
        model: ChatModel | Callable[[], ChatModel],
        *,
        name: str | None = None,
        redact: Callable[[str], str] = default_redact,
    ) -> Recorder | Replay:
        """`name` tells several recordings of one test apart."""
        ...


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remembers which tests failed: what they left unused says nothing more."""
    report = yield
    if report.when == "call" and report.failed:
        item.stash[_FAILED] = True
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the flag `--toolcrib-record`."""
    parser.getgroup("toolcrib").addoption(
        "--toolcrib-record",
        action="store_true",
        help="ask real models in tests that use the fixture 'cassette', and record their answers",
    )


@pytest.fixture
def scripted_model(request: pytest.FixtureRequest) -> Iterator[MakeScriptedModel]:
    """Makes scripted models that are checked when the test is over, unless it failed anyway."""
    made: list[ScriptedModel] = []

    def make(
        steps: Iterable[StepLike] = (),
        *,
        forever: StepLike | None = None,
        name: str = "scripted",
    ) -> ScriptedModel:
        model = ScriptedModel(steps, forever=forever, name=name)
        made.append(model)
        return model

    yield make
    _check(request, made)


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> Iterator[MakeCassette]:
    """Makes models that replay what was recorded for this test, beside it in `cassettes/`.

    `cassette(model)` takes a model, or a function that makes one, called only to record: with the
    flag `--toolcrib-record` it asks the model and writes the file. Answers that were not asked for
    fail the test.
    """
    recording = request.config.getoption("--toolcrib-record")
    folder = request.path.parent / "cassettes" / request.path.stem
    replays: list[Replay] = []

    def make(
        model: ChatModel | Callable[[], ChatModel],
        *,
        name: str | None = None,
        redact: Callable[[str], str] = default_redact,
    ) -> Recorder | Replay:
        test = request.node.name if name is None else f"{request.node.name}.{name}"
        path = folder / f"{re.sub(r'[^A-Za-z0-9_.=-]+', '-', test)}.json"
        if recording:
            real = model if isinstance(model, ChatModel) else model()
            return Recorder(real, path, redact=redact)
        replays.append(Replay(path, redact=redact))
        return replays[-1]

    yield make
    _check(request, replays)


def _check(request: pytest.FixtureRequest, models: Iterable[ScriptedModel | Replay]) -> None:
    if not request.node.stash.get(_FAILED, False):
        for model in models:
            model.check()


@pytest.fixture
def no_model_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every real HTTP request of a model fails with `RealRequest`, before anything is sent."""

    def refuse(transport: object, request: Any) -> NoReturn:
        raise RealRequest(
            f"A real request to {request.url.host!r} in a test that has no_model_requests. "
            "Give the agent a ScriptedModel or a cassette."
        )

    # named by text: the HTTP library loads only in tests that ask for the guard
    for transport in ("AsyncHTTPTransport.handle_async_request", "HTTPTransport.handle_request"):
        monkeypatch.setattr(f"httpx2.{transport}", refuse)
