from __future__ import annotations

import ast
import builtins
import collections
import dataclasses
import enum
import sys
import textwrap
import typing
from collections.abc import Callable, Sequence  # noqa: F401
from typing import (  # noqa: F401
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypedDict,
    TypeVar,
    Union,
)

import numpy as np
import numpy.typing as npt  # noqa: F401
import pytest
from numpy.typing import NDArray

from s2sad.ir.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    GENERATOR,
    INT,
    NONE,
    ONE,
    OPAQUE,
    UNKNOWN,
    Array,
    Axis,
    Known,
    List,
    Members,
    NumPyScalar,
    Scalar,
    Structure,
    Unknown,
)
from s2sad.ir.references import EACH, Reference
from s2sad.source.annotations.annotation_nodes import class_meant
from s2sad.source.annotations.annotations import (
    kind_of_annotation,
    kind_of_annotation_node,
)
from s2sad.source.static.module import static_functions
from s2sad.source.static.values import StaticClass

T = TypeVar("T", bound=float)
Meters = NewType("Meters", float)
ANY0 = Axis("any", ("x", 0))
FLOATS = Array("float64", None)


class Weights(TypedDict):
    w: NDArray[np.float64]
    b: float


class MoreWeights(Weights):
    scale: "Optional[float]"


class Partial(TypedDict, total=False):
    w: float


class Kept:
    """Equal to the kind of a reference whose form has these slots."""

    def __init__(self, constructor: type, slots: dict[Any, Any]) -> None:
        self.constructor, self.slots = constructor, slots

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference) or len(other.forms) != 1:
            return False
        (form,) = other.forms
        constructor = form.constructor
        if isinstance(self.constructor, str):
            constructor = constructor.__name__
        return constructor == self.constructor and form.slots == self.slots

    __hash__ = None  # type: ignore[assignment]


class Again(Kept):
    """The kind of a reference to what is told elsewhere, or None."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return str(other) == f"{self.name} or None"


class Point(NamedTuple):
    x: float
    y: "int" = 0


@dataclasses.dataclass
class Layer:
    w: NDArray[np.float32]
    count: ClassVar[int] = 0
    next: Optional[Layer] = None
    sizes: tuple[int, ...] = ()

    def __call__(self, x):
        return x


@dataclasses.dataclass
class Deep(Layer):
    bias: float = 0.0


@dataclasses.dataclass
class Lost:
    x: NotThere  # noqa: F821
    y: float


@dataclasses.dataclass
class Box(Generic[T]):
    x: T


class Mode(enum.Enum):
    FAST = 1


class Plain:
    x: float


# What is imported above and not used elsewhere is used in these texts.
FORMS = {
    "float": FLOAT,
    "int": INT,
    "bool": BOOL,
    "complex": COMPLEX,
    "None": NONE,
    "str": OPAQUE,
    "bytes": OPAQUE,
    "range": OPAQUE,
    "Mode": OPAQUE,
    "type": UNKNOWN,
    "type[float]": OPAQUE,
    "object": UNKNOWN,
    "Any": UNKNOWN,
    "Plain": UNKNOWN,
    "NotThere": UNKNOWN,
    "np.float64": NumPyScalar("float64"),
    "np.bool_": NumPyScalar("bool"),
    "np.floating": NumPyScalar(None),
    "np.generic": UNKNOWN,
    "np.str_": OPAQUE,
    "np.datetime64": OPAQUE,
    "np.random.Generator": GENERATOR,
    "np.dtype": OPAQUE,
    "np.dtype[np.float64]": OPAQUE,
    "np.ndarray": Array(None, None),
    "np.matrix": UNKNOWN,
    "np.not_there": UNKNOWN,
    "NDArray": Array(None, None),
    "NDArray[np.float64]": FLOATS,
    "npt.NDArray[np.float32]": Array("float32", None),
    "NDArray[np.floating]": Array(None, None),
    "NDArray[Any]": Array(None, None),
    "NDArray[float]": FLOATS,
    "NDArray[np.object_]": Array("object", None),
    "NDArray[np.str_]": Array(None, None),
    "npt.ArrayLike": UNKNOWN,
    "np.ndarray[Any, np.dtype[np.float64]]": FLOATS,
    "np.ndarray[tuple[int, ...], np.dtype[np.float64]]": FLOATS,
    "np.ndarray[tuple[int, Literal[1], Literal[3]], np.dtype[np.float64]]": Array(
        "float64", (ANY0, ONE, Axis("many", ("dim", 3)))
    ),
    "tuple": UNKNOWN,
    "typing.Tuple": UNKNOWN,
    "tuple[()]": Structure(tuple, (), ()),
    "tuple[float, int]": Structure(tuple, (0, 1), (FLOAT, INT)),
    "typing.Tuple[float, NotThere]": Structure(tuple, (0, 1), (FLOAT, UNKNOWN)),
    "tuple[NDArray[np.float64], tuple[bool]]": Structure(
        tuple, (0, 1), (FLOATS, Structure(tuple, (0,), (BOOL,)))
    ),
    "tuple[float, ...]": List(FLOAT, Axis("any", ("x", "items")), tuple),
    "tuple[str, ...]": OPAQUE,
    "tuple[int, ...]": OPAQUE,
    "tuple[float, *tuple[int, ...]]": UNKNOWN,
    "list": UNKNOWN,
    "list[float]": List(FLOAT, Axis("any", ("x", "items"))),
    "list[list[float]]": List(List(FLOAT, Axis("any")), Axis("any", ("x", "items"))),
    "list[tuple[float, float]]": Kept(list, {EACH: Kept(tuple, {0: FLOAT, 1: FLOAT})}),
    "list[np.ndarray[tuple[int, int], np.dtype[np.float64]]]": List(
        Array("float64", (Axis("any"), Axis("any"))), Axis("any", ("x", "items"))
    ),
    "list[int]": Kept(list, {EACH: INT}),
    "list[np.ndarray]": Kept(list, {EACH: Array(None, None)}),
    "list[object]": UNKNOWN,
    "dict[str, float]": Kept(dict, {EACH: FLOAT}),
    "dict[str, tuple[int, float]]": Kept(dict, {EACH: Kept(tuple, {0: INT, 1: FLOAT})}),
    "dict[float, float]": Kept(dict, {EACH: FLOAT}),
    "dict[list, float]": UNKNOWN,
    "list[float | int]": Kept(list, {EACH: FLOAT}),
    "set[str]": Members(),
    "set[float]": Members(),
    "frozenset[int]": Members(constructor=frozenset),
    "Sequence[float]": UNKNOWN,
    "Callable[[float], float]": OPAQUE,
    "typing.Callable": OPAQUE,
    "Optional[float]": Unknown(present=FLOAT),
    "Optional[str]": OPAQUE,
    "int | None": Unknown(inactive=True, present=INT),
    "float | int": FLOAT,
    "Union[float, int, bool]": FLOAT,
    "float | complex": UNKNOWN,
    "float | NDArray[np.float64]": UNKNOWN,
    "NDArray[np.float32] | NDArray[np.float64]": Array(None, None),
    "Annotated[float, 'unit', [1]]": FLOAT,
    "Literal['fast']": Known("fast"),
    "Literal['fast', 'slow']": OPAQUE,
    "Literal[3]": Scalar("int", 3),
    "Literal[3, 4]": INT,
    "Literal[True]": Scalar("bool", True),
    "Literal[None]": NONE,
    "'float'": FLOAT,
    "'NDArray[np.float64]'": FLOATS,
    "Optional['float | int']": Unknown(present=FLOAT),
    "tuple['float', 'Point']": Structure(
        tuple, (0, 1), (FLOAT, Structure(Point, ("x", "y"), (FLOAT, INT)))
    ),
    "'not a type'": UNKNOWN,
    "Weights": Structure(dict, ("w", "b"), (FLOATS, FLOAT)),
    "MoreWeights": Structure(
        dict, ("w", "b", "scale"), (FLOATS, FLOAT, Unknown(present=FLOAT))
    ),
    "Partial": UNKNOWN,
    "Point": Structure(Point, ("x", "y"), (FLOAT, INT)),
    "Layer": Kept(
        Layer,
        {
            "w": Array("float32", None),
            "next": Again("Layer"),
            "sizes": Kept(tuple, {EACH: INT}),
        },
    ),
    "Deep": Kept(
        Deep,
        {
            "w": Array("float32", None),
            "next": Kept(
                Layer,
                {
                    "w": Array("float32", None),
                    "next": Again("Layer"),
                    "sizes": Kept(tuple, {EACH: INT}),
                },
            ),
            "sizes": Kept(tuple, {EACH: INT}),
            "bias": FLOAT,
        },
    ),
    "Point | None": UNKNOWN,
    "3": UNKNOWN,
    "f(x)": UNKNOWN,
}


def lookup(name):
    if name in globals():
        return globals()[name]
    return getattr(builtins, name)


def live(text):
    return eval(text, globals())


LIVE = {t: k for t, k in FORMS.items() if "NotThere" not in t and "not_there" not in t}


@pytest.mark.parametrize(
    "text", [t for t in LIVE if t not in ("Optional['float | int']", "f(x)")]
)
def test_live_annotations(text):
    assert kind_of_annotation(live(text), "x", lookup) == FORMS[text]


@pytest.mark.parametrize("text", FORMS)
def test_live_strings(text):
    assert kind_of_annotation(text, "x", lookup) == FORMS[text]
    assert kind_of_annotation(f"  Annotated[{text}, 1]", "x", lookup) == FORMS[text]


class _Names:
    """The names of this module, as a resolver has them."""

    def resolve(self, name):
        return type("Binding", (), {"value": lookup(name)})

    def attribute(self, value, name):
        return getattr(value, name)


@pytest.mark.parametrize("text", FORMS)
def test_syntax_trees(text):
    node = ast.parse(text, mode="eval").body
    assert kind_of_annotation_node(node, "x", _Names()) == FORMS[text]


def test_other_live_forms():
    assert kind_of_annotation("float", "x") == UNKNOWN
    assert kind_of_annotation(Meters, "x") == FLOAT
    assert kind_of_annotation(T, "x") == FLOAT
    assert kind_of_annotation(Box, "x") == Structure(Box, ("x",), (FLOAT,))
    assert kind_of_annotation(Box[float], "x") == Structure(Box, ("x",), (FLOAT,))
    assert kind_of_annotation(typing.ForwardRef("int"), "x", lookup) == INT
    assert kind_of_annotation(Lost, "x") == Structure(
        Lost, ("x", "y"), (UNKNOWN, FLOAT)
    )
    pair = collections.namedtuple("pair", "a b")
    assert kind_of_annotation(pair, "x") == Structure(
        pair, ("a", "b"), (UNKNOWN, UNKNOWN)
    )
    optional = TypedDict("optional", {"w": NotRequired[float]})
    assert kind_of_annotation(optional, "x") == UNKNOWN
    assert kind_of_annotation_node(None, "x", None) == UNKNOWN


def test_an_alias_that_is_defined_by_itself():
    endless = tuple["endless", int]
    assert kind_of_annotation(endless, "x", {"endless": endless}.get) == UNKNOWN


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type statements")
def test_type_statements():
    names = {}
    text = "type Number = float\ntype Pair[S, T] = tuple[T, int, S]\n"
    exec(text + "type Lost = NotThere\ntype Endless = tuple[Endless, int]", names)
    assert kind_of_annotation(names["Number"], "x") == FLOAT
    pair = kind_of_annotation(names["Pair"][None, bool], "x")
    assert pair.items == (BOOL, INT, NONE)
    assert kind_of_annotation(names["Pair"], "x").items == (UNKNOWN, INT, UNKNOWN)
    assert kind_of_annotation(names["Lost"], "x") == UNKNOWN
    assert kind_of_annotation(names["Endless"], "x") == UNKNOWN


def test_paths_name_the_axes():
    array = np.ndarray[tuple[int], np.dtype[np.float64]]
    kind = kind_of_annotation(tuple[float, array], "x")
    assert kind.items[1] == Array("float64", (Axis("any", (("x", 1), 0)),))


N, D = Axis("any", ("dim", "n")), Axis("any", ("dim", "d"))
SHAPES = {
    'Float[np.ndarray, "n d"]': Array(None, (N, D)),
    'Float64[np.ndarray, "n d"]': Array("float64", (N, D)),
    'Float32[np.ndarray, "1 n"]': Array("float32", (ONE, N)),
    'Int[np.ndarray, "n"]': Array(None, (N,)),
    'Int32[np.ndarray, "n"]': Array("int32", (N,)),
    'Bool[np.ndarray, ""]': Array("bool", ()),
    'Complex128[np.ndarray, "n"]': Array("complex128", (N,)),
    'Float64[np.ndarray, "3 rows=3 cols=n"]': Array(
        "float64",
        (Axis("many", ("dim", 3)), Axis("many", ("dim", 3)), Axis("any", ("x", 2))),
    ),
    'Float64[np.ndarray, "_ #n n+1 _n n"]': Array(
        "float64", (*(Axis("any", ("x", k)) for k in range(4)), N)
    ),
    'Float64[np.ndarray, "... n"]': FLOATS,
    'Float64[np.ndarray, "*batch n"]': FLOATS,
    'Shaped[np.ndarray, "n"]': Array(None, (N,)),
    'Float64[np.ndarray, "n"] | None': UNKNOWN,
    'tuple[Float64[np.ndarray, "n _"], float]': Structure(
        tuple, (0, 1), (Array("float64", (N, Axis("any", (("x", 0), 1)))), FLOAT)
    ),
}


@pytest.mark.parametrize("text", SHAPES)
def test_live_jaxtyping(text):
    jaxtyping = pytest.importorskip("jaxtyping")
    names = {**vars(jaxtyping), "np": np}
    assert kind_of_annotation(eval(text, names), "x") == SHAPES[text]
    assert kind_of_annotation(text, "x", lambda n: eval(n, names)) == SHAPES[text]


# -- modules that are only read


def static(tmp_path, annotation, preamble="", **other_files):
    """The kind of an annotation in a module that is read, not imported."""
    for name, text in other_files.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
    file = tmp_path / "a_static_module.py"
    text = textwrap.dedent(preamble) + f"\ndef f(x: {annotation}):\n    return x\n"
    file.write_text(text)
    source = static_functions(file).functions["f"].source
    node = source.node.args.args[0].annotation
    return kind_of_annotation_node(node, "x", source.resolver)


IMPORTS = """
    from __future__ import annotations
    import dataclasses, enum, typing
    from collections.abc import Callable, Sequence
    from dataclasses import InitVar, KW_ONLY, dataclass
    from typing import (
        Annotated, Any, ClassVar, Generic, Literal, NamedTuple, Optional, TypedDict,
        TypeVar, Union,
    )
    import numpy as np
    import numpy.typing as npt
    from numpy.typing import NDArray
    raise SystemExit("this module must not be executed")
"""
CLASSES = {
    "Mode",
    "Plain",
    "Weights",
    "MoreWeights",
    "Partial",
    "Point",
    "Layer",
    "Deep",
}


@pytest.mark.parametrize("text", [t for t in FORMS if not any(c in t for c in CLASSES)])
def test_static_annotations(text, tmp_path):
    assert static(tmp_path, text, IMPORTS) == FORMS[text]


@pytest.mark.parametrize("text", SHAPES)
@pytest.mark.parametrize("style", ["import jaxtyping as J", "from jaxtyping import {}"])
def test_static_jaxtyping(text, style, tmp_path):
    name = text.removeprefix("tuple[").partition("[")[0]
    if style.startswith("import"):
        text_there = text.replace(name, f"J.{name}", 1)
    else:
        text_there = text
    preamble = IMPORTS + "    " + style.format(name)
    assert static(tmp_path, text_there, preamble) == SHAPES[text]
    assert static(tmp_path, repr(text_there), preamble) == SHAPES[text]


def test_static_jaxtyping_arrays(tmp_path):
    preamble = "from jaxtyping import Array, Float32 as F, PRNGKeyArray, Key"
    assert static(tmp_path, 'F[Array, "n"]', preamble) == Array("float32", (N,))
    assert static(tmp_path, "Array", preamble) == Array(None, None)
    assert static(tmp_path, "PRNGKeyArray", preamble) == UNKNOWN
    assert static(tmp_path, 'Key[Array, ""]', preamble) == UNKNOWN
    assert static(tmp_path, "F", preamble) == UNKNOWN
    other = "from elsewhere import Float32 as F"
    assert static(tmp_path, 'F[np.ndarray, "n"]', other) == UNKNOWN


DEFINITIONS = (
    IMPORTS
    + """
    T = TypeVar("T")
    Vector = NDArray[np.float64]
    Endless = tuple["Endless", int]

    class Mode(enum.Enum):
        FAST = 1

    class Plain:
        x: float

    class Weights(TypedDict):
        w: Vector
        b: float

    class MoreWeights(Weights):
        scale: Optional[float]

    class Partial(TypedDict, total=False):
        w: float

    class Mixed(TypedDict):
        w: typing.NotRequired[float]

    class Point(NamedTuple):
        x: float
        y: "int" = 0
        def norm(self): ...

    class Named(Point):
        note: str = ""

    @dataclass
    class Layer:
        w: Vector
        count: ClassVar[int] = 0
        seed: InitVar[int] = 0
        next: Optional[Layer] = None
        _: KW_ONLY
        bias: float = 0.0

    @dataclasses.dataclass(frozen=True)
    class Deep(Layer):
        bias: int = 0
        point: Point = Point(1.0)

    class Methods(Deep):
        helper: float

    @dataclass
    class Foreign(Base):
        x: float

    @dataclass
    class Box(Generic[T]):
        x: T
        y: float
"""
)


def test_static_classes(tmp_path):
    def there(text):
        return static(tmp_path, text, DEFINITIONS)

    assert there("Mode") == OPAQUE
    for text in ("Partial", "Mixed", "Foreign", "Endless", "Point | None"):
        assert there(text) == UNKNOWN, text
    assert there("Vector") == FLOATS
    assert there("'Vector'") == FLOATS
    assert there("Weights") == Structure(dict, ("w", "b"), (FLOATS, FLOAT))
    assert there("MoreWeights").keys == ("w", "b", "scale")
    assert there("Plain").keys == ("x",) and there("Plain").items == (FLOAT,)
    slots = {"w": FLOATS, "next": Again("Layer"), "bias": FLOAT}
    assert there("Layer") == Kept("Layer", slots)
    point = there("Point")
    assert isinstance(class_meant(point.constructor), StaticClass)
    assert issubclass(point.constructor, tuple)
    assert point.constructor.__name__ == "Point"
    assert (point.keys, point.items) == (("x", "y"), (FLOAT, INT))
    assert there("Named").keys == ("x", "y")
    deep = there("Deep")
    assert set(deep.forms[0].slots) == {"w", "next", "bias", "point"}
    assert deep.forms[0].keys == ("w", "next", "bias", "point")
    assert deep.forms[0].slots["point"] == Kept("Point", {"x": FLOAT, "y": INT})
    assert deep.forms[0].slots["bias"] == INT
    assert there("Methods").forms[0].keys == deep.forms[0].keys
    assert str(there("Methods")) == "Methods"
    assert (there("Box[int]").keys, there("Box[int]").items[1]) == (("x", "y"), FLOAT)
    assert there("tuple[Point, 'Point']").items[1].keys == ("x", "y")


def test_static_classes_of_other_modules(tmp_path):
    shapes = """
        from dataclasses import dataclass
        import numpy
        from numpy.typing import NDArray as A

        @dataclass
        class Layer:
            w: A[numpy.float32]
    """
    w = Array("float32", None)
    found = static(tmp_path, "Layer", "from shapes import Layer", shapes=shapes)
    assert (found.keys, found.items) == (("w",), (w,))
    found = static(tmp_path, "s.Layer", "import shapes as s", shapes=shapes)
    assert found.items == (w,)
    derived = """
        import dataclasses
        import shapes

        @dataclasses.dataclass
        class Wide(shapes.Layer):
            b: float
    """
    found = static(tmp_path, "Wide", derived, shapes=shapes)
    assert (found.keys, found.items) == (("w", "b"), (w, FLOAT))


def test_static_typing_extensions(tmp_path):
    preamble = "from typing_extensions import TypedDict, Annotated\n"
    preamble += "class P(TypedDict):\n    a: Annotated[float, 1]\n"
    assert static(tmp_path, "P", preamble) == Structure(dict, ("a",), (FLOAT,))
