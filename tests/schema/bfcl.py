"""Questions of the Berkeley leaderboard: declarations as schemas, accepted answers as arguments."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.cases import rows
from toolcrib.schema.foreign import with_json_types


class Call(NamedTuple):
    """One call of a ground truth, and the schema that it should fit."""

    id: str
    name: str
    schema: dict[str, Any]
    arguments: dict[str, Any]


def calls(*categories: str) -> Iterator[Call]:
    """Every call of every ground truth in these files."""
    for category in categories:
        for row in rows(f"bfcl/{category}.jsonl"):
            schemas = {one["name"]: with_json_types(one["parameters"]) for one in row["functions"]}
            for number, truth in enumerate(row["ground_truth"]):
                for name, accepted in truth.items():
                    arguments = _chosen(accepted)
                    yield Call(f"{row['id']}/{number}", name, schemas[name], arguments)


def declarations(*categories: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every declaration in these files."""
    for category in categories:
        for row in rows(f"bfcl/{category}.jsonl"):
            for one in row.get("functions", ()):
                yield f"{row['id']}/{one['name']}", with_json_types(one["parameters"])


def _chosen(accepted: Mapping[str, Any]) -> dict[str, Any]:
    """The first accepted value of each argument; "" in the list says that it may be left out."""
    return {name: _first(values) for name, values in accepted.items() if _given(values)}


def _given(values: Any) -> bool:
    return not isinstance(values, list) or any(value != "" for value in values)


def _first(values: Any) -> Any:
    if not isinstance(values, list):
        return _inner(values)
    return _inner(next(value for value in values if value != ""))


def _inner(value: Any) -> Any:
    """Inside objects, keys hold lists of accepted values again."""
    if isinstance(value, dict):
        return _chosen(value)
    if isinstance(value, list):
        return [_chosen(one) if isinstance(one, dict) else one for one in value]
    return value
