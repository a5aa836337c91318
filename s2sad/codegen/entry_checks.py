"""Checks of the arguments of transpiled derivatives, whose kinds were assumed.

Nobody vouches for the arguments of a file that runs on its own. What decided a
broadcast or a branch is hence checked; a mismatch raises instead of giving a wrong
gradient::

    def _check_loss(w, b, x):
        require_real("w", w)
        require_real("b", b)
        require_data("x", x)
        if np.ndim(w) != 1 or w.dtype != "float64":
            raise TypeError("w must be float64[d]")
        if np.ndim(b) != 0:
            raise TypeError("b must be float")
        if np.ndim(x) != 2 or x.shape[1] != w.shape[0]:
            raise TypeError("x must be float64[:, d]")
"""

import ast
import cmath
from collections.abc import Container, Hashable, Iterator, Mapping
from types import MappingProxyType

from s2sad import ir
from s2sad.codegen.python.spelling import Spelling
from s2sad.ops.runtime.arguments import (
    require_complex,
    require_data,
    require_items,
    require_real,
)
from s2sad.source.annotations.signatures import format_kind_as_signature
from s2sad.source.static.values import StaticClass

HELPERS = {
    f.__name__: f for f in (require_real, require_data, require_complex, require_items)
}
"""What checks call."""


def entry_check(
    name: str,
    kinds: Mapping[str, ir.Kind],
    wrt: tuple[str, ...],
    spelling: Spelling,
    lists: Container[str] = (),
    data: Mapping[str, ir.Kind] = MappingProxyType({}),
    structures: Mapping[str, str] = MappingProxyType({}),
    classes_read: Container[StaticClass] = (),
) -> ast.FunctionDef | None:
    """The function that raises TypeError for arguments of other kinds, for ``data`` of
    other kinds and of classes with operators of their own; None where there is nothing
    to check.
    Arguments of unknown kind among ``lists`` may be lists; ``structures`` gives the
    functions that check those that are kept, by what reads them, but for those that
    the derivatives check themselves. Objects must be of the class itself if methods or
    data of it were read, which derived classes may hold in other ways."""
    numpy_name = spelling.module_name("numpy")
    lengths: dict[Hashable, str] = {}
    body: list[ast.stmt] = []
    classes: list[ast.stmt] = []
    for parameter, whole in kinds.items():
        for place, structure in _structures_in(parameter, whole):
            for fault, needed in _tests_of_structure(place, structure, classes_read):
                text = f"if {fault}:\n    raise TypeError({f'{place} must {needed}'!r})"
                classes += ast.parse(text).body
        for path, kind in leaves_of(parameter, whole):
            if isinstance(kind, ir.Reference):
                if path in structures:
                    classes += ast.parse(f"{structures[path]}({path})").body
                continue
            test_of_class = _test_of_class(path, kind, parameter in wrt)
            if test_of_class:
                if kind == ir.UNKNOWN and parameter in wrt and parameter in lists:
                    test_of_class = f"{test_of_class[:-1]}, lists=True)"
                classes += ast.parse(test_of_class).body
            tests = _tests(path, kind, parameter in wrt, numpy_name, lengths)
            if tests:
                told = ast.Constant(f"{path} must be {format_kind_as_signature(kind)}")
                error = ast.Call(spelling.builtin("TypeError"), [told], [])
                test = ast.parse(" or ".join(tests), mode="eval").body
                body.append(ast.If(test, [ast.Raise(error, None)], []))
    for path, kind in data.items():
        call = _test_of_items(path, kind) if isinstance(kind, ir.List) else ""
        if isinstance(kind, ir.Reference):
            call = f"{structures[path]}({path})"
        classes += ast.parse(call or f"require_data({path!r}, {path})").body
    body = classes + body
    if not body:
        return None
    summary = "Raise TypeError for what the derivatives were not made for."
    arguments = [ast.arg(parameter) for parameter in kinds]
    return ast.FunctionDef(
        name,
        ast.arguments([], arguments, None, [], [], None, []),
        [ast.Expr(ast.Constant(summary)), *body],
        [],
        None,
        type_params=[],  # type: ignore[call-arg]
    )


def _test_of_class(path: str, kind: ir.Kind, active: bool) -> str:
    """The call that looks at the class of a number or array; "" for others."""
    known = isinstance(kind, ir.Scalar) and kind.value is not None
    data = isinstance(kind, ir.Array) or ir.is_real_number_kind(kind)
    if isinstance(kind, ir.List):
        return _test_of_items(path, kind)
    if known or not data or isinstance(kind, ir.Known):
        return ""
    if ir.is_complex(kind):
        return f"require_complex({path!r}, {path})"
    real = active and ir.is_real_number_kind(kind)
    return f"{'require_real' if real else 'require_data'}({path!r}, {path})"


def _test_of_items(path: str, kind: ir.List) -> str:
    """The call that looks at all items of a list."""
    words = [repr(path), path]
    item: ir.Kind | None = kind
    while isinstance(item, ir.List):
        words.append(item.constructor.__name__)
        item = item.item
    if isinstance(item, ir.Array):
        words += [f"rank={len(item.axes or ())}", f"dtype={item.dtype!r}"]
    return f"require_items({', '.join(words)})"


def leaves_of(path: str, kind: ir.Kind) -> Iterator[tuple[str, ir.Kind]]:
    """The numbers and arrays of an argument, each with the expression that reads it."""
    if not isinstance(kind, ir.Structure):
        yield path, kind
        return
    for key, item in zip(kind.keys, kind.items, strict=True):
        yield from leaves_of(item_path(path, kind, key), item)


def _structures_in(path: str, kind: ir.Kind) -> Iterator[tuple[str, ir.Structure]]:
    """The tuples, dicts and objects in an argument that are taken apart, each with the
    expression that reads it."""
    if isinstance(kind, ir.Structure):
        yield path, kind
        for key, item in zip(kind.keys, kind.items, strict=True):
            yield from _structures_in(item_path(path, kind, key), item)


def _tests_of_structure(
    path: str, kind: ir.Structure, classes_read: Container[StaticClass]
) -> Iterator[tuple[str, str]]:
    """Tests that are true for one that holds more, or is of a derived class, each with
    what it must be or have."""
    count, cls = len(kind.keys), kind.constructor
    if cls in (tuple, list):
        yield f"len({path}) != {count}", f"have {count} item{'s'[: count != 1]}"
    elif cls is dict:
        names = ", ".join(map(repr, kind.keys))
        yield f"[*{path}] != [{names}]", f"have the keys {names}, in this order"
    elif isinstance(cls, StaticClass) and cls in classes_read:
        yield f"type({path}).__name__ != {cls.name!r}", f"be a {cls.name}"


def item_path(path: str, kind: ir.Structure, key: Hashable) -> str:
    """The expression that reads an item of a structure."""
    if kind.constructor in (tuple, list, dict):
        return f"{path}[{key!r}]"
    return f"{path}.{key}"


def _tests(
    path: str,
    kind: ir.Kind,
    active: bool,
    numpy_name: str,
    lengths: dict[Hashable, str],
) -> list[str]:
    """Tests that are true for a value of another kind. ``lengths`` gives of each symbol
    an expression for its length."""
    match kind:
        case ir.Known(value=None) | ir.Scalar(value=bool()):
            return [f"{path} is not {kind.value}"]
        case ir.Scalar(value=value) | ir.Known(value=value) if _is_literal(value):
            return [f"{path} != {value!r}"]
        case ir.Scalar() | ir.NumPyScalar() if ir.is_real_number_kind(kind):
            return [f"{numpy_name}.ndim({path}) != 0"]
        case ir.Array(axes=axes, dtype=dtype, promoted=False):
            tests = []
            if axes is not None:
                tests.append(f"{numpy_name}.ndim({path}) != {len(axes)}")
                tests += _tests_of_axes(path, kind, lengths)
            if active and dtype is not None:
                tests.append(f"{path}.dtype != {dtype!r}")
            return tests
    return []


def _tests_of_axes(
    path: str, kind: ir.Array, lengths: dict[Hashable, str]
) -> Iterator[str]:
    for position, axis in enumerate(kind.axes or ()):
        length = f"{path}.shape[{position}]"
        match axis.symbol:
            case _ if axis.length == "one":
                yield f"{length} != 1"
            case ("dim", int(wanted)):
                yield f"{length} != {wanted}"
            case symbol if symbol in lengths:
                yield f"{length} != {lengths[symbol]}"
            case symbol:
                if symbol is not None:
                    lengths[symbol] = length
                if axis.length == "many":
                    yield f"{length} == 1"


def _is_literal(value: object) -> bool:
    number = isinstance(value, int | float | complex) and cmath.isfinite(value)
    return number or isinstance(value, str | bytes)
