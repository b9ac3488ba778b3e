"""The types that a checker sees are part of the promise."""

from pathlib import Path

import pytest
from mypy import api


@pytest.mark.parametrize("name", ["tools.py"])
def test_mypy_sees_the_types_that_are_promised(name: str) -> None:
    folder = Path(__file__).parent
    options = ("--strict", "--warn-unused-ignores", "--config-file", "", "--no-error-summary")
    said, failed, _ = api.run([*options, str(folder / name)])
    assert (said, failed) == ("", "")
