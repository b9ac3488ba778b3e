"""The public names are those that the docs list."""

import re
from pathlib import Path

import toolcrib

API = Path(__file__).resolve().parents[2] / "docs" / "api.md"


def test_the_face_is_what_the_docs_list() -> None:
    text = API.read_text(encoding="utf-8").split("## Further")[0]
    listed = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(listed) == sorted(set(toolcrib.__all__) - {"__version__"})


def test_every_public_name_can_be_imported() -> None:
    for name in toolcrib.__all__:
        assert getattr(toolcrib, name) is not None
