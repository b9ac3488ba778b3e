"""The pytest plugin: fixtures for scripted models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest

from toolcrib.testing.script import StepLike
from toolcrib.testing.scripted_model import ScriptedModel

__all__ = ["scripted_model"]


@pytest.fixture
def scripted_model(request: pytest.FixtureRequest) -> Iterator[Callable[..., ScriptedModel]]:
    """Makes scripted models that are checked when the test is over.

    `scripted_model(steps, forever=..., name=...)` takes what `ScriptedModel` takes.
    """
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
    for model in made:
        model.check()
