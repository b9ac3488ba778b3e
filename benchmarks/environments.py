"""One virtual environment for each runner, so that import time and installed size are its own."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

__all__ = ["HERE", "ROOT", "Footprint", "footprint", "prepare", "python_of"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VENVS = ROOT / ".bench-venvs"
CONSTRAINTS = HERE / "constraints.txt"

REQUIREMENTS = {
    "floor": ("httpx2", "pydantic"),
    "toolcrib": ("--editable", str(ROOT)),
    "openai_agents": ("openai-agents",),
    "pydantic_ai": ("pydantic-ai-slim[openai]",),
}


class Footprint(NamedTuple):
    """What an environment holds, without bytecode."""

    distributions: int
    megabytes: float


def python_of(name: str) -> str:
    """The interpreter of an environment."""
    return str(VENVS / name / "bin" / "python")


def prepare(name: str) -> None:
    """Build the environment, unless it stands and nothing that it is made from has changed."""
    venv = VENVS / name
    stamp = venv / ".stamp"
    wanted = _fingerprint(name)
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print(f"Installing what {name} needs ...", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check"]
    install = ["--python", python_of(name), "install", "--constraint", str(CONSTRAINTS)]
    subprocess.run([*pip, *install, *REQUIREMENTS[name]], check=True)
    stamp.write_text(wanted)


def footprint(name: str) -> Footprint:
    """How much the installation of a runner brings along, itself included."""
    site = next((VENVS / name / "lib").glob("python3*")) / "site-packages"
    found = list(distributions(path=[str(site)]))
    size = sum(_size(one) for one in found)
    if "--editable" in REQUIREMENTS[name]:
        size += sum(file.stat().st_size for file in (ROOT / "src").rglob("*.py"))
    return Footprint(len(found), size / 1e6)


def _size(distribution: Distribution) -> int:
    paths = (Path(str(file.locate())) for file in distribution.files or ())
    return sum(path.stat().st_size for path in paths if path.suffix != ".pyc" and path.is_file())


def _fingerprint(name: str) -> str:
    parts = [repr(REQUIREMENTS[name]), CONSTRAINTS.read_text(), sys.version]
    if name == "toolcrib":
        parts.append((ROOT / "pyproject.toml").read_text())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
