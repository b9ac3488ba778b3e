"""From a callable to parameters: types, names, descriptions, defaults, and what is refused."""

from __future__ import annotations

import functools
import threading
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Unpack

import pytest
import typing_extensions
from annotated_types import Ge
from pydantic import AliasChoices, BaseModel, Field
from typing_extensions import Doc, TypedDict

from toolcrib.errors import ConfigurationError
from toolcrib.schema.parameters import MISSING, Param, Parameter
from toolcrib.schema.signature import Signature, read_signature


class Context:
    """Stands for what is filled in."""


class Special(Context): ...


class Mark: ...


HERE = object()
INJECTED = ((Context, "context"), (Mark, "mark"), (HERE, "here"))


def read(function: Callable[..., Any], **options: Any) -> Signature:
    return read_signature(
        function, tool="it", injected=INJECTED, document=function.__doc__, **options
    )


def only(function: Callable[..., Any]) -> Parameter:
    (parameter,) = read(function).parameters
    return parameter


def refusal(function: Callable[..., Any]) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read(function)
    return str(caught.value)


def test_names_types_and_defaults_of_a_function() -> None:
    def f(a: int, b: str = "x") -> bool: ...

    a, b = read(f).parameters
    assert (a.name, a.annotation, a.required, a.make_default) == ("a", int, True, None)
    assert (b.name, b.annotation, b.required) == ("b", str, False)
    assert b.make_default is not None
    assert b.make_default() == "x"
    assert read(f).returns is bool


def test_without_annotation_a_parameter_may_be_anything_and_is_required() -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    assert (only(f).annotation, only(f).required, only(f).nullable) == (Any, True, False)
    assert read(f).returns is MISSING


@pytest.mark.parametrize(
    "annotation",
    [
        "int | None",
        "typing.Optional[int]",
        "None",
        "Literal[1, None]",
        "Annotated[int | None, Ge(1)]",
        "Annotated[typing.Optional[int], 'text']",
    ],
)
def test_a_type_that_names_none_is_optional(annotation: str) -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = annotation
    assert (only(f).required, only(f).nullable) == (False, True)


def test_an_alias_of_a_nullable_type_is_nullable() -> None:
    Maybe = typing_extensions.TypeAliasType("Maybe", int | None)

    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = Maybe
    assert only(f).nullable


def test_a_nullable_parameter_can_be_required() -> None:
    def f(a: Annotated[int | None, Param(required=True)]) -> None: ...

    assert (only(f).required, only(f).nullable) == (True, True)


def test_a_default_makes_a_parameter_optional_whatever_param_says() -> None:
    def f(a: Annotated[int, Param(required=True, default=3)]) -> None: ...

    assert only(f).required is False


@pytest.mark.parametrize(
    "annotation",
    [
        "Annotated[int, 'how many']",
        "Annotated[int, Param(description='how many')]",
        "Annotated[int, Field(description='how many')]",
        "Annotated[int, Doc('how many')]",
        "Annotated[int, 'how many'] | None",
        "typing.Optional[Annotated[int, Field(description='how many')]]",
    ],
)
def test_a_description_is_taken_off_the_type(annotation: str) -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = annotation
    assert only(f).description == "how many"
    assert only(f).annotation in (int, int | None)


def test_constraints_stay_on_the_type() -> None:
    def f(a: Annotated[int, "how many", Field(ge=1, description=None)]) -> None: ...

    assert only(f).annotation == Annotated[int, Ge(1)]


def test_a_field_in_the_place_of_the_default_says_the_same() -> None:
    def f(a: int = Field(3, ge=1, description="how many")) -> None: ...

    assert only(f).annotation == Annotated[int, Ge(1)]
    assert only(f).description == "how many"
    assert only(f).make_default is not None
    assert only(f).make_default() == 3


def test_an_explicit_description_wins_over_the_docstring() -> None:
    def f(a: Annotated[int, "said here"]) -> None:
        """Do it.

        Args:
            a: said there
        """

    assert only(f).description == "said here"
    assert read(f).description == "Do it."


def test_param_renames_for_the_model_only() -> None:
    def f(from_: Annotated[str, Param(name="from")]) -> None: ...

    assert (only(f).name, only(f).python_name) == ("from", "from_")


@pytest.mark.parametrize(
    "name",
    ["model_config", "model_fields", "schema", "json", "_hidden", "from_", "self_", "copy", "cls_"],
)
def test_awkward_names_are_ordinary_names(name: str) -> None:
    scope: dict[str, Any] = {}
    exec(f"def f({name}: int): ...", scope)
    assert only(scope["f"]).name == name


def test_a_mutable_default_is_fresh_for_each_call() -> None:
    def f(a: list[int] = [1]) -> None: ...  # noqa: B006

    make = only(f).make_default
    assert make is not None
    make().append(2)
    assert make() == [1]


def test_a_default_of_param_is_a_value_and_fresh() -> None:
    def f(a: Annotated[list[str], Param(default=["[]"])]) -> None: ...

    make = only(f).make_default
    assert make is not None
    make().append("x")
    assert make() == ["[]"]


def test_a_nullable_with_a_default_keeps_it() -> None:
    def f(a: int | None = 5) -> None: ...

    make = only(f).make_default
    assert make is not None
    assert make() == 5


def test_types_local_to_the_definition_are_found() -> None:
    @dataclass
    class Local:
        x: int

    def f(a: Local) -> Local: ...

    assert only(f).annotation is Local


def test_types_of_the_class_around_the_definition_are_found() -> None:
    found = []

    class Outer:
        @dataclass
        class Inner:
            x: int

        def f(self, a: Inner) -> None: ...

        found.append(read(f, skip_first=True).parameters[0])

    assert found[0].annotation is Outer.Inner


def test_a_partial_hides_what_it_fixes() -> None:
    def f(a: int, b: int, c: int, d: int = 4) -> None: ...

    assert [p.name for p in read(functools.partial(f, 1, c=3)).parameters] == ["b", "d"]
    nested = functools.partial(functools.partial(f, c=3), b=2)
    assert [p.name for p in read(nested).parameters] == ["a", "d"]


def test_a_bound_method_has_no_self() -> None:
    class Shop:
        def f(self, a: int) -> None: ...

    assert only(Shop().f).name == "a"


def test_a_callable_object_is_read_by_its_call() -> None:
    @dataclass
    class Adder:
        start: str

        def __call__(self, a: int) -> int: ...

    assert (only(Adder("x")).name, only(Adder("x")).annotation) == ("a", int)


def test_a_wrapped_function_is_read_as_the_one_inside() -> None:
    def f(a: int) -> None: ...

    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any: ...

    assert only(wrapper).annotation is int


def test_positional_only_parameters_are_told() -> None:
    def f(a: int, /, b: int) -> None: ...

    assert read(f).positional == ("a",)


class Extras(TypedDict):
    """Further keys."""

    size: Annotated[int, "in metres"]
    colour: NotRequired[str]


def test_an_unpacked_typed_dict_is_written_out() -> None:
    def f(a: int, **kwargs: Unpack[Extras]) -> None: ...

    _, size, colour = read(f).parameters
    assert (size.name, size.annotation, size.required) == ("size", int, True)
    assert size.description == "in metres"
    assert (colour.name, colour.required, colour.nullable) == ("colour", False, False)


def test_the_docstring_may_speak_of_unpacked_keys() -> None:
    def f(**kwargs: Unpack[Extras]) -> None:
        """Do it.

        Args:
            colour: as a word
            kwargs: all the rest
        """

    assert [p.description for p in read(f).parameters] == ["in metres", "as a word"]
    assert read(f).description == "Do it.\n\nkwargs: all the rest"


def test_a_partial_also_fixes_unpacked_keys() -> None:
    def f(**kwargs: Unpack[Extras]) -> None: ...

    assert [p.name for p in read(functools.partial(f, size=1)).parameters] == ["colour"]


@pytest.mark.parametrize(
    "annotation",
    [
        Context,
        Special,
        Context | None,
        Annotated[int, Mark],
        Annotated[int, Mark()],
        Annotated[dict[str, int], HERE],
        Annotated[int, HERE] | None,
        Annotated[int | None, HERE],
    ],
)
def test_an_injected_parameter_is_never_shown(annotation: Any) -> None:
    def f(a: int, it, b: int) -> None: ...  # type: ignore[no-untyped-def]

    f.__annotations__["it"] = annotation
    signature = read(f)
    assert [p.name for p in signature.parameters] == ["a", "b"]
    assert [p.name for p in signature.injected] == ["it"]


def test_an_unresolvable_return_type_harms_nobody() -> None:
    def f(a: int) -> NoSuchThing: ...  # type: ignore[name-defined]  # noqa: F821

    assert only(f).annotation is int


def test_an_unresolvable_annotation_is_refused_with_what_to_do() -> None:
    def f(a: int, b: NoSuchThing) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    text = refusal(f)
    assert "Tool 'it', parameter 'b'" in text
    assert "NoSuchThing" in text
    assert "Define or import" in text


def test_arbitrary_positional_arguments_are_refused() -> None:
    def f(*values: int) -> None: ...

    assert "`values: list[int]`" in refusal(f)


@pytest.mark.parametrize("annotation", ["str", "Any", "dict[str, int]", "Extras"])
def test_keywords_without_names_are_refused(annotation: str) -> None:
    def f(**kwargs): ...  # type: ignore[no-untyped-def]

    f.__annotations__["kwargs"] = annotation
    assert "'**kwargs'" in refusal(f)
    assert "Unpack[SomeTypedDict]" in refusal(f)


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (int, "3"),
        (int, 3.5),
        (int, True),
        (int, None),
        (str, 3),
        (bool, "yes"),
        (list[int], ["a"]),
        (list[int], (1,)),
        (dict[str, int], {"a": "b"}),
        (Literal["a", "b"], "c"),
        (Annotated[int, Ge(1)], 0),
        (int | None, "none"),
    ],
)
def test_a_default_that_does_not_fit_is_refused(annotation: Any, default: Any) -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = annotation
    f.__defaults__ = (default,)
    assert "parameter 'a': the default" in refusal(f)

    def g(a): ...  # type: ignore[no-untyped-def]

    g.__annotations__["a"] = Annotated[annotation, Param(default=default)]
    assert "parameter 'a': the default" in refusal(g)


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (float, 1),
        (int | float, 1.5),
        (str | None, None),
        (list[int], [1]),
        (tuple[int, ...], (1,)),
        (Any, object()),
        (Annotated[int, Ge(1)], 1),
    ],
)
def test_a_default_that_fits_is_taken(annotation: Any, default: Any) -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = annotation
    f.__defaults__ = (default,)
    assert only(f).make_default is not None


def test_a_default_that_cannot_be_copied_is_refused() -> None:
    def f(a: Any = threading.Lock()) -> None: ...  # noqa: B008

    assert "cannot be copied" in refusal(f)


@pytest.mark.parametrize(
    "annotation", [Annotated[int, Param(default=2)], Annotated[int, Field(default=2)]]
)
def test_two_defaults_are_refused(annotation: Any) -> None:
    def f(a=1): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = annotation
    assert "two defaults" in refusal(f)


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[int, "one", "two"],
        Annotated[int, "one", Field(description="two")],
        Annotated[int, Param(description="one"), Doc("two")],
        Annotated[Annotated[int, "one"], Param(description="two")],
        Annotated[Annotated[int, "one"] | None, "two"],
    ],
)
def test_two_descriptions_are_refused(annotation: Any) -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = annotation
    assert "described twice" in refusal(f)


def test_optional_without_a_value_for_absence_is_refused() -> None:
    def f(a: Annotated[int, Param(required=False)]) -> None: ...

    assert "`T | None`" in refusal(f)


@pytest.mark.parametrize(
    "annotation", [int | None, Annotated[int, Param(default=1)]], ids=["nullable", "default"]
)
def test_optional_with_a_value_for_absence_is_fine(annotation: Any) -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = Annotated[annotation, Param(required=False)]
    assert only(f).required is False


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[Context, "text"],
        Annotated[Context, Param(name="x")],
        Annotated[Context, Param(required=True)],
        Annotated[int, HERE, Field(description="text")],
    ],
)
def test_a_description_on_an_injected_parameter_is_refused(annotation: Any) -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = annotation
    assert "never shown to the model" in refusal(f)


def test_a_docstring_may_speak_of_an_injected_parameter_without_the_model_hearing_it() -> None:
    def f(a: int, it: Context) -> None:
        """Do it.

        Args:
            a: how many
            it: the context
        """

    assert read(f).description == "Do it."


def test_a_default_on_an_injected_parameter_is_refused() -> None:
    def f(a: Context | None = None) -> None: ...

    def g(a: Annotated[Context, Param(default=3)]) -> None: ...

    assert "take its default away" in refusal(f)
    assert "take its default away" in refusal(g)


def test_two_parameters_of_one_name_are_refused() -> None:
    def f(a: int, b: Annotated[int, Param(name="a")]) -> None: ...

    assert "parameter 'b': it and 'a' are both shown to the model as 'a'" in refusal(f)


def test_a_parameter_named_twice_is_refused() -> None:
    def f(a: Annotated[int, Param(name="x"), Field(alias="y")]) -> None: ...

    assert "named twice" in refusal(f)


@pytest.mark.parametrize("name", ["", "a b", "a\nb", "a\x00", "a" * 129])
def test_a_bad_name_is_refused(name: str) -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = Annotated[int, Param(name=name)]
    assert "parameter 'a': the name" in refusal(f)


@pytest.mark.parametrize("annotation", [threading.Event, Callable[[], int], list[Context]])
def test_a_type_that_json_cannot_carry_is_refused(annotation: Any) -> None:
    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = annotation
    text = refusal(f)
    assert "Tool 'it', parameter 'a'" in text
    assert "cannot be described to a model" in text
    assert "pydantic-core" not in text
    assert ("Injected[" in text) is isinstance(annotation, type)


def test_a_type_that_is_not_complete_yet_is_refused() -> None:
    class Incomplete(BaseModel):
        later: NotYetThere  # type: ignore[name-defined]  # noqa: F821

    def f(a: Incomplete) -> None: ...

    assert "not defined yet" in refusal(f)


def test_several_names_for_one_parameter_are_refused() -> None:
    def f(a: Annotated[int, Field(validation_alias=AliasChoices("x", "y"))]) -> None: ...

    assert "one name" in refusal(f)


@pytest.mark.skipif("sys.version_info >= (3, 12)", reason="pydantic reads it from 3.12 on")
def test_the_typed_dict_of_old_pythons_is_refused_with_the_one_to_use() -> None:
    Old = typing.TypedDict("Old", {"x": int})  # noqa: UP013

    def f(a): ...  # type: ignore[no-untyped-def]

    f.__annotations__["a"] = list[Old]
    assert "typing_extensions.TypedDict" in refusal(f)


def test_a_callable_without_signature_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_signature(dict.update, tool="it", injected=())
