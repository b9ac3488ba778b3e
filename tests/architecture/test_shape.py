"""The shape of the source: captions, small rooms, and imports that show where everything stands."""

import ast

import pytest

from tests.architecture.source import Source, functions, own_imports, sources

LONGEST_FILE = 400
LONGEST_FUNCTION = 60

each_file = pytest.mark.parametrize("source", [pytest.param(s, id=s.name) for s in sources()])


@each_file
def test_a_file_opens_with_one_sentence_on_what_it_holds(source: Source) -> None:
    docstring = ast.get_docstring(source.tree)
    assert docstring, f"{source.name} has no docstring"
    sentence = docstring.split("\n\n")[0].strip()
    assert sentence.endswith("."), f"{source.name}: {sentence!r} is no sentence"
    assert len(sentence.split()) >= 3, f"{source.name}: {sentence!r} says nothing"


@each_file
def test_no_file_is_longer_than_anyone_reads(source: Source) -> None:
    lines = len(source.text.splitlines())
    assert lines <= LONGEST_FILE, f"{source.name} has {lines} lines; split it along an idea"


@each_file
def test_no_function_is_longer_than_a_screen(source: Source) -> None:
    long = [
        f"{node.name} ({length} lines)"
        for node in functions(source.tree)
        if (length := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert not long, f"{source.name}: {', '.join(long)}; split along an idea"


@each_file
def test_our_own_modules_are_imported_at_the_top_or_not_at_all(source: Source) -> None:
    hidden = [
        f"line {statement.lineno}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        for statement in own_imports(node)
    ]
    assert not hidden, (
        f"{source.name} imports its own package inside a function or under TYPE_CHECKING "
        f"({', '.join(hidden)}); the type it wants stands on the wrong floor"
    )


@each_file
def test_our_own_modules_are_imported_by_their_full_name(source: Source) -> None:
    relative = [
        f"line {node.lineno}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not relative, f"{source.name} has relative imports ({', '.join(relative)})"


@each_file
def test_only_the_command_line_prints(source: Source) -> None:
    if source.name.startswith("cli/") or source.name == "__main__.py":
        pytest.skip("the command line may print")
    prints = [
        f"line {node.lineno}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert not prints, f"{source.name} prints ({', '.join(prints)})"
