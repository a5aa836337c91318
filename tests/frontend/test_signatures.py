from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from s2sad.errors import ArgumentError
from s2sad.ir.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    ONE,
    OPAQUE,
    UNKNOWN,
    Array,
    Axis,
    Known,
    NumPyScalar,
    Scalar,
    Structure,
)
from s2sad.source.annotations.signatures import (
    format_kind_as_signature,
    parse_signature,
)
from s2sad.source.kinds.kinds_of_values import kind_of_value


@dataclasses.dataclass
class Layer:
    w: object
    b: object


class Pair(NamedTuple):
    first: object
    second: object


CLASSES = {"Layer": Layer, "Pair": Pair}


def kind(text):
    return parse_signature(f"f(x: {text})", CLASSES).kinds["x"]


def free(*path):
    symbol = path[0]
    for key in path[1:]:
        symbol = (symbol, key)
    return Axis("any", symbol)


def test_a_whole_signature():
    parsed = parse_signature(
        "loss(w: float64[:], b: float, x: float32[:, :], n: int, params: {'w1': "
        "float64[:, :], 'b1': float64[:]}, pair: (float, float64[:]), mode: 'fast')"
    )
    assert parsed.name == "loss"
    w1 = Array("float64", (free("params", "w1", 0), free("params", "w1", 1)))
    b1 = Array("float64", (free("params", "b1", 0),))
    assert parsed.kinds == {
        "w": Array("float64", (free("w", 0),)),
        "b": FLOAT,
        "x": Array("float32", (free("x", 0), free("x", 1))),
        "n": INT,
        "params": Structure(dict, ("w1", "b1"), (w1, b1)),
        "pair": Structure(
            tuple, (0, 1), (FLOAT, Array("float64", (free("pair", 1, 0),)))
        ),
        "mode": Known("fast"),
    }
    assert list(parsed.kinds) == ["w", "b", "x", "n", "params", "pair", "mode"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bool", BOOL),
        ("complex", COMPLEX),
        ("float64", NumPyScalar("float64")),
        ("np.float64", NumPyScalar("float64")),
        ("np.bool", NumPyScalar("bool")),
        ("bool_", NumPyScalar("bool")),
        ("number", NumPyScalar(None)),
        ("None", NONE),
        ("opaque", OPAQUE),
        ("unknown", UNKNOWN),
        ('"fast"', Known("fast")),
        (r"'it\'s'", Known("it's")),
        ("3", Scalar("int", 3)),
        ("-3", Scalar("int", -3)),
        ("1e-3", Scalar("float", 0.001)),
        ("-inf", Scalar("float", float("-inf"))),
        ("False", Scalar("bool", False)),
        ("1-2j", Scalar("complex", 1 - 2j)),
        ("bool[:]", Array("bool", (free("x", 0),))),
        ("object[1]", Array("object", (ONE,))),
        ("array[...]", Array(None, None)),
        ("float64[...]", Array("float64", None)),
        ("float64[()]", Array("float64", ())),
        ("float64[:, 1]", Array("float64", (free("x", 0), ONE))),
        (
            "float64[:,3]",
            Array("float64", (free("x", 0), Axis("many", ("dim", 3)))),
        ),
        (
            "np.float32[n, n, _]",
            Array("float32", (free("dim", "n"), free("dim", "n"), free("x", 2))),
        ),
        (
            "float64[n!=1, !=1]",
            Array("float64", (Axis("many", ("dim", "n")), Axis("many", ("x", 1)))),
        ),
        ("float64[:]|number", Array("float64", (free("x", 0),), promoted=True)),
        ("()", Structure(tuple, (), ())),
        ("(float,)", Structure(tuple, (0,), (FLOAT,))),
        ("[ ]", Structure(list, (), ())),
        ("[int, [None],]", Structure(list, (0, 1), (INT, kind("[None]")))),
        ("{}", Structure(dict, (), ())),
        ("{0: int, 'a': float}", Structure(dict, (0, "a"), (INT, FLOAT))),
        ("Layer(w=float, b=None)", Structure(Layer, ("w", "b"), (FLOAT, NONE))),
        ("Pair(first=3, second='a')", None),
    ],
)
def test_kinds(text, expected):
    if expected is not None:
        assert kind(text) == expected
    assert kind(format_kind_as_signature(kind(text))) == kind(text)


def test_white_space_is_free():
    spread = "  m . f (\n x :float64 [ : ,\t1 ] ,\n y\n: { 'a' :int } , )  "
    assert parse_signature(spread) == parse_signature("m.f(x:float64[:,1],y:{'a':int})")
    assert parse_signature("f()").kinds == {}
    assert parse_signature("f(x, y: int)").kinds == {"x": UNKNOWN, "y": INT}


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("loss(w: flaot64[:])", 8, "did you mean float64"),
        ("loss(w: float[:])", 8, "write float64[:]"),
        ("loss(w: object)", 8, "object[:]"),
        ("loss(w: float64[])", 16, "without brackets"),
        ("loss(w: float64[:,)", 18, "an axis: `:`"),
        ("loss(w: float64[-1])", 16, "not an axis"),
        ("loss(w: float64[!=2])", 18, "`1`"),
        ("loss(w: float64[:) ", 17, "expected `,` or `]`"),
        ("loss(w: float64[:] | float)", 21, "`number`"),
        ("loss(w: int, w: int)", 13, "twice"),
        ("loss(w: {'a': int, 'a': int})", 19, "twice"),
        ("loss(w: {'a' int})", 13, "expected `:`"),
        ("loss(w: {a: int})", 9, "a string or an int"),
        ("loss(w: (float))", 8, "comma"),
        ("loss(w: Params(a=int))", 8, "Params is not known"),
        ("loss(w: Layer(b=int, w=int))", 8, "fields of Layer are w, b"),
        ("loss(w: Layer(w int))", 16, "expected `=`"),
        ("loss(w: )", 8, "opaque or unknown"),
        ("loss(w: int", 11, "expected `,` or `)`"),
        ("loss(w: int) -> float", 13, "no meaning"),
        ("loss(w: int) x", 13, "behind the signature"),
        ("loss(w: 'abc)", 8, "no meaning"),
        (r"loss(w: '\x')", 8, "string"),
        ("loss(for: int)", 5, "the name of a parameter"),
        ("loss w", 5, "expected `(`"),
        ("", 0, "the name of a function"),
        ("loss(w: $)", 8, "no meaning"),
        ("loss(x: int, w: np.float)", 19, "not a kind"),
    ],
)
def test_errors_point_at_the_problem(text, column, message):
    with pytest.raises(ArgumentError) as caught:
        parse_signature(text, {"Layer": Layer})
    lines = str(caught.value).splitlines()
    assert f"column {column + 1}:" in lines[0]
    assert lines[1] == "    " + text.rstrip()
    assert lines[2].index("^") == column + 4
    assert message in " ".join(line.strip() for line in lines)


@given(st.text(alphabet="f(x: float64[],:1n!='{})\"\\.|+-ej\n", max_size=40))
@example("f(x: '\\d')")
def test_any_text_is_parsed_or_refused(text):
    try:
        parse_signature(text)
    except ArgumentError:
        pass


names = st.sampled_from(["n", "d", "batch", "größe"])
dtypes = st.sampled_from(["float64", "float32", "int8", "complex64", "bool", "object"])
scalars = (
    st.sampled_from([FLOAT, INT, BOOL, COMPLEX, NONE, OPAQUE, UNKNOWN])
    | st.integers().map(lambda v: Scalar("int", v))
    | st.booleans().map(lambda v: Scalar("bool", v))
    | st.floats(allow_nan=False).map(lambda v: Scalar("float", v))
    | st.complex_numbers(allow_nan=False, allow_infinity=False).map(
        lambda v: Scalar("complex", v)
    )
    | st.text().map(Known)
    | st.binary().map(Known)
    | st.sampled_from(["float64", "bool", "uint8", None]).map(NumPyScalar)
)


@st.composite
def kinds(draw, path, depth=2):
    """Any kind that the notation can express at this path."""
    choice = draw(st.integers(0, 6 if depth else 1))
    if choice == 0:
        return draw(scalars)
    if choice == 1:
        dtype = draw(dtypes | st.none())
        rank = draw(st.integers(0, 3) | st.none())
        if rank is None:
            return Array(dtype, None, draw(st.booleans()))
        axes = tuple(
            draw(
                st.just(ONE)
                | st.builds(Axis, st.just("any"), st.just((path, k)))
                | st.builds(Axis, st.just("many"), st.just((path, k)))
                | st.builds(
                    Axis,
                    st.sampled_from(["any", "many"]),
                    st.tuples(st.just("dim"), names),
                )
                | st.integers(2, 9).map(lambda n: Axis("many", ("dim", n)))
            )
            for k in range(rank)
        )
        return Array(dtype, axes, draw(st.booleans()))
    if choice in (2, 3):
        constructor, keys = (
            (tuple, list)[choice - 2],
            range(draw(st.integers(0, 3))),
        )
    elif choice == 4:
        constructor = dict
        keys = draw(st.lists(st.text() | st.integers(), max_size=3, unique=True))
    elif choice == 5:
        constructor, keys = Layer, ("w", "b")
    else:
        constructor, keys = Pair, ("first", "second")
    items = tuple(draw(kinds((path, k), depth - 1)) for k in keys)
    return Structure(constructor, tuple(keys), items)


@given(kinds("x"))
def test_round_trip(expected):
    text = format_kind_as_signature(expected)
    found = kind(text)
    assert found == expected
    assert repr(found) == repr(expected)  # 0.0 and -0.0, 1 and True
    assert format_kind_as_signature(found) == text


def test_kinds_of_values_round_trip():
    value = {"w": np.zeros((3, 1)), "b": [1.0, np.float32(2)], "mode": "fast"}
    expected = kind_of_value(value, "x")
    assert kind(format_kind_as_signature(expected)) == expected


def test_what_has_no_notation_is_written_as_less():
    write = format_kind_as_signature
    assert write(Known(np.sin)) == "opaque"
    assert write(Array("str160", (ONE,))) == "opaque"
    assert write(NumPyScalar("datetime64[s]")) == "opaque"
    assert write(Structure(dict, (None,), (FLOAT,))) == "unknown"
    assert write(Structure(dict, (None,), (INT,))) == "opaque"
    assert write(Array("float64", (Axis("many", ("dim", 1)),))) == "float64[!=1]"
    assert write(Scalar("float", 3)) == "3.0"
