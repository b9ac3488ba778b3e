"""The source files of the package, parsed once for all architecture tests."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "toolcrib"


@dataclass(frozen=True)
class Source:
    path: Path
    text: str = field(repr=False)
    tree: ast.Module = field(repr=False)

    @property
    def name(self) -> str:
        return self.path.relative_to(PACKAGE).as_posix()


@cache
def sources() -> tuple[Source, ...]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Source(path, text, ast.parse(text, str(path))))
    return tuple(found)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def own_imports(tree: ast.AST) -> Iterator[ast.stmt]:
    """Statements below `tree` that import from the package."""
    for node in ast.walk(tree):
        if (isinstance(node, ast.Import) and any(_own(a.name) for a in node.names)) or (
            isinstance(node, ast.ImportFrom) and (node.level or _own(node.module or ""))
        ):
            yield node


def _own(module: str) -> bool:
    return module == "toolcrib" or module.startswith("toolcrib.")
