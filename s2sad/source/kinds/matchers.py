"""Matchers: the guard that tells whether a call fits the kinds compiled for.

A compiled derivative is found again through its *matcher*: a generated function that is
true where :func:`~s2sad.source.kinds.kinds_of_values.kind_of_value` would give the
kinds that were compiled for, and much cheaper than asking.

>>> from s2sad.source.kinds.kinds_of_values import kind_of_value
>>> kinds = {"w": kind_of_value(np.ones(2), "w"), "b": ir.FLOAT}
>>> print(matcher_source(["w", "b"], kinds)[0])
def matches(w, b):
    try:
        return (
            (type(w) is ndarray or array_like(w, kind_1))
            and ((dtype := w.dtype) is dtype_2 or same_dtype(dtype, 'float64'))
            and len(shape_3 := w.shape) == 1
            and shape_3[0] > 1
            and type(b) is float
        )
    except Exception:
        return False
"""

import builtins
import inspect
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.source.kinds import kept_values, lists
from s2sad.source.kinds.kinds_of_values import (
    COMPARED_BY_IDENTITY,
    PYTHON_NUMBERS,
    dtype_name,
    kind_of_value,
)


def compile_matcher(
    parameters: Sequence[str], kinds: Mapping[str, ir.Kind]
) -> Callable[..., bool]:
    """A function of the parameters, true where the arguments are of these kinds.

    Axes that share a symbol must have the same length. What is not known in a kind (a
    dtype, a rank, an axis ``"any"``) is not checked. The function never raises; making
    it raises ``KeyError`` for a parameter without a kind.
    """
    source, namespace = matcher_source(parameters, kinds)
    exec(compile(source, "<s2sad matcher>", "exec"), namespace)
    matches: Callable[..., bool] = namespace["matches"]
    return matches


def matcher_source(
    parameters: Sequence[str],
    kinds: Mapping[str, ir.Kind],
    check_of: Callable[[ir.Reference], Callable[[Any], None]] | None = None,
) -> tuple[str, dict[str, Any]]:
    """The source of a matcher, and the names that it reads. ``check_of`` gives for a
    kind of references the function that raises for values of others."""
    writer = _Writer(parameters)
    writer.check_of = check_of
    for name in parameters:
        writer.kind(name, kinds[name])
    tests = "\n            and ".join(writer.tests + writer.length_tests()) or "True"
    source = (
        f"def matches({', '.join(parameters)}):\n"
        "    try:\n"
        f"        return (\n            {tests}\n        )\n"
        "    except Exception:\n"
        "        return False"
    )
    return source, writer.namespace


def _array_like(value: Any, kind: ir.Array) -> bool:
    """The slow path, for arrays that are not plainly ``np.ndarray``."""
    found = kind_of_value(value, None)
    if not isinstance(found, ir.Array):
        return False
    if kind.dtype is not None and found.dtype != kind.dtype:
        return False
    if kind.axes is None or found.axes is None:
        return kind.axes is None
    return len(kind.axes) == len(found.axes) and _lengths_fit(value, kind.axes)


def _lengths_fit(value: Any, axes: Sequence[ir.Axis]) -> bool:
    return all(
        (n == 1) == (axis.length == "one") and (n == 0) == (axis == ir.EMPTY)
        if _is_told_apart(axis)
        else axis.length == "any" or n != 1
        for n, axis in zip(value.shape, axes, strict=True)
    )


def _is_told_apart(axis: ir.Axis) -> bool:
    """Whether it is known of an axis whether it is empty."""
    return axis == ir.EMPTY or ir.least_length(axis) > 0


def _test_of_length(axis: ir.Axis) -> str:
    if axis.length == "one":
        return "== 1"
    if axis == ir.EMPTY:
        return "== 0"
    return "> 1" if _is_told_apart(axis) else "!= 1"


def _same_dtype(dtype: Any, name: str) -> bool:
    """For a dtype that isn't the usual object: another byte order, ``np.longlong``."""
    return dtype_name(dtype) == name


def _numpy_scalar(value: Any, name: str) -> bool:
    return (
        isinstance(value, np.generic)
        and not isinstance(value, np.void | np.str_ | np.bytes_)
        and value.dtype.name == name
    )


def _any_number(value: Any) -> bool:
    return type(value) in PYTHON_NUMBERS or isinstance(value, np.number | np.bool_)


def _opaque(value: Any) -> bool:
    if type(value) is str:
        return kept_values.is_prose(value)
    return kind_of_value(value, None) == ir.OPAQUE


def _foreign(value: Any, kind: ir.Foreign) -> bool:
    return kind_of_value(value, None) == kind


def _sparse(value: Any, kind: ir.Sparse) -> bool:
    return _lengths_fit(value, kind.axes) and dtype_name(value.dtype) == kind.dtype


def _known(value: Any, kind: ir.Known) -> bool:
    return bool(ir.Known(value) == kind)


def _promoted(value: Any, kind: ir.Array) -> bool:
    """Whether a number may stand in for the array of a promoted kind."""
    found = kind_of_value(value, None)
    return (
        isinstance(found, ir.Scalar | ir.NumPyScalar) and ir.join(kind, found) == kind
    )


_HELPERS: dict[str, Any] = {
    "ndarray": np.ndarray,
    "array_like": _array_like,
    "same_dtype": _same_dtype,
    "numpy_scalar": _numpy_scalar,
    "any_number": _any_number,
    "opaque": _opaque,
    "foreign": _foreign,
    "sparse": _sparse,
    "known": _known,
    "promoted": _promoted,
    "holds": lists.holds,
    **{n: getattr(builtins, n) for n in ("type", "len", "float", "int", "bool")},
    **{n: getattr(builtins, n) for n in ("complex", "tuple", "list", "dict", "repr")},
}


class _Writer:
    """Writes one test after the other; the cheapest and most telling come first."""

    check_of: Callable[[ir.Reference], Callable[[Any], None]] | None

    def __init__(self, parameters: Sequence[str]) -> None:
        self.tests: list[str] = []
        self.namespace: dict[str, Any] = {}
        self.taken = {*parameters, "matches"}
        self.lengths: dict[Hashable, list[str]] = {}
        self.ints: list[tuple[str, Hashable]] = []
        self.helper = {name: self.constant(name, v) for name, v in _HELPERS.items()}
        self.dtype = self.fresh("dtype")
        self.count = 0

    def fresh(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def constant(self, name: str, value: Any) -> str:
        name = self.fresh(name)
        self.namespace[name] = value
        return name

    def numbered(self, name: str) -> str:
        self.count += 1
        return f"{name}_{self.count}"

    def call(self, helper: str, *arguments: str) -> str:
        return f"{self.helper[helper]}({', '.join(arguments)})"

    def is_type(self, name: str, cls: str) -> str:
        return f"{self.call('type', name)} is {self.helper.get(cls, cls)}"

    def is_class(self, name: str, cls: Any) -> str:
        return self.is_type(name, self.constant(self.numbered("type"), cls))

    def kind(self, name: str, kind: ir.Kind) -> None:
        """Adds the tests that the expression ``name`` is of the kind."""
        if isinstance(kind, ir.Scalar):
            self.scalar(name, kind)
        elif isinstance(kind, ir.NumPyScalar):
            self.numpy_scalar(name, kind)
        elif isinstance(kind, ir.Array):
            self.array(name, kind)
        elif isinstance(kind, ir.Known):
            self.known(name, kind)
        elif isinstance(kind, ir.Structure):
            self.structure(name, kind)
        elif isinstance(kind, ir.List):
            self.list_of_any_length(name, kind)
        elif isinstance(kind, ir.RandomSource):
            self.tests.append(self.is_class(name, kind.cls))
        elif isinstance(kind, ir.Members):
            self.tests.append(self.is_class(name, kind.constructor))
        elif isinstance(kind, ir.Foreign):
            self.tests.append(self.is_class(name, kind.cls))
            if isinstance(kind, ir.Sparse):
                constant = self.constant(self.numbered("kind"), kind)
                self.tests.append(self.call("sparse", name, constant))
            elif issubclass(kind.cls, np.ndarray):  # it may have fields
                constant = self.constant(self.numbered("kind"), kind)
                self.tests.append(self.call("foreign", name, constant))
        elif isinstance(kind, ir.Reference):
            self.reference(name, kind)
        elif isinstance(kind, ir.Unknown):
            if kind.inactive:
                self.tests.append(self.call("opaque", name))
        else:
            raise TypeError(f"no matcher for {kind!r}")

    def reference(self, name: str, kind: ir.Reference) -> None:
        assert self.check_of is not None
        check = self.constant(self.numbered("check"), self.check_of(kind))
        self.tests.append(f"{check}({name}) is None")

    def scalar(self, name: str, kind: ir.Scalar) -> None:
        own = kind.cls is not None
        test = self.is_class(name, kind.cls) if own else self.is_type(name, kind.type)
        self.tests.append(test)
        if kind.value is not None:
            value = self.constant(self.numbered("value"), kind.value)
            self.tests.append(f"{name} == {value}")
            if kind.type in ("float", "complex"):
                # Tells 0.0 from -0.0, and nan is nan.
                text = self.constant(self.numbered("text"), repr(kind.value))
                self.tests[-1] = f"{self.call('repr', name)} == {text}"
        if kind.length_of is not None:
            self.ints.append((name, kind.length_of))

    def numpy_scalar(self, name: str, kind: ir.NumPyScalar) -> None:
        if kind.dtype is None:
            self.tests.append(self.call("any_number", name))
            return
        slow = self.call("numpy_scalar", name, repr(kind.dtype))
        dtype = _dtype_named(kind.dtype)
        # The unit of a date is no part of its type.
        if dtype is not None and dtype.kind in "biufc":
            cls = self.constant(self.numbered("type"), dtype.type)
            slow = f"({self.is_type(name, cls)} or {slow})"
        self.tests.append(slow)

    def array(self, name: str, kind: ir.Array) -> None:
        constant = self.constant(self.numbered("kind"), kind)
        if kind.promoted:
            outer, self.tests = self.tests, []
            self.array_only(name, kind, constant)
            inner = " and ".join(self.tests)
            self.tests = outer
            number = self.call("promoted", name, constant)
            self.tests.append(f"({inner} or {number})")
        else:
            self.array_only(name, kind, constant)

    def array_only(self, name: str, kind: ir.Array, constant: str) -> None:
        other = self.call("array_like", name, constant)
        self.tests.append(f"({self.is_type(name, 'ndarray')} or {other})")
        if kind.dtype is not None:
            dtype = _dtype_named(kind.dtype)
            if dtype is None:
                slow = self.call("same_dtype", f"{name}.dtype", repr(kind.dtype))
                self.tests.append(slow)
            else:
                usual = self.constant(self.numbered("dtype"), dtype)
                slow = self.call("same_dtype", self.dtype, repr(kind.dtype))
                test = f"(({self.dtype} := {name}.dtype) is {usual} or {slow})"
                self.tests.append(test)
        if kind.axes is None:
            return
        shape = self.fresh(self.numbered("shape"))
        size = self.call("len", f"{shape} := {name}.shape")
        self.tests.append(f"{size} == {len(kind.axes)}")
        for k, axis in enumerate(kind.axes):
            if axis.length != "any":
                self.tests.append(f"{shape}[{k}] {_test_of_length(axis)}")
            # A promoted number has no shape to compare.
            if axis.symbol is not None and not kind.promoted:
                self.lengths.setdefault(axis.symbol, []).append(f"{shape}[{k}]")

    def known(self, name: str, kind: ir.Known) -> None:
        value = kind.value
        if value is None:
            self.tests.append(f"{name} is None")
            return
        constant = self.constant(self.numbered("known"), value)
        if type(value) in (str, bytes, types.MethodType, types.BuiltinFunctionType):
            cls = self.constant(self.numbered("type"), type(value))
            # Bound methods are made anew each time they are looked up.
            self.tests.append(self.is_type(name, cls))
            self.tests.append(f"{name} == {constant}")
        elif isinstance(value, COMPARED_BY_IDENTITY):
            self.tests.append(f"{name} is {constant}")
        else:
            self.namespace[constant] = kind
            self.tests.append(self.call("known", name, constant))

    def structure(self, name: str, kind: ir.Structure) -> None:
        cls = self.constant(self.numbered("type"), kind.constructor)
        self.tests.append(self.is_type(name, cls))
        count = len(kind.keys)
        if kind.constructor is dict:
            keys = self.constant(self.numbered("keys"), list(kind.keys))
            self.tests.append(f"[*{name}] == {keys}")
            self.items(name, kind, [self.key(k) for k in kind.keys])
        elif isinstance(kind.constructor, type) and issubclass(
            kind.constructor, tuple | list
        ):
            self.tests.append(f"{self.call('len', name)} == {count}")
            self.items(name, kind, [f"[{k}]" for k in range(count)])
        else:
            if getattr(kind.constructor, "__dictoffset__", 0):
                held = [k for k in kind.keys if not self.is_slot(kind.constructor, k)]
                keys = self.constant(self.numbered("keys"), frozenset(held))
                found = f"{name}.__dict__.keys()"
                fields = getattr(kind.constructor, "__dataclass_fields__", None)
                if fields:  # of which some may be found in the class
                    always = frozenset(fields) & frozenset(held)
                    found += f" | {self.constant(self.numbered('fields'), always)}"
                self.tests.append(f"{found} == {keys}")
            self.items(name, kind, [f".{k}" for k in kind.keys])

    def list_of_any_length(self, name: str, kind: ir.List) -> None:
        constant = self.constant(self.numbered("kind"), kind)
        self.tests.append(self.call("holds", name, constant))
        if kind.axis.length == "many":
            self.tests.append(f"{self.call('len', name)} > 1")

    def is_slot(self, cls: type, name: Hashable) -> bool:
        found = inspect.getattr_static(cls, str(name), None)
        return isinstance(found, types.MemberDescriptorType)

    def key(self, key: Hashable) -> str:
        if type(key) in (str, int):
            return f"[{key!r}]"
        return f"[{self.constant(self.numbered('key'), key)}]"

    def items(self, name: str, kind: ir.Structure, readers: list[str]) -> None:
        for reader, item in zip(readers, kind.items, strict=True):
            if item == ir.UNKNOWN:
                continue
            variable = self.fresh(self.numbered("item"))
            # The first test of the item reads it, the others use the variable.
            before = len(self.tests)
            self.kind(variable, item)
            read = f"({variable} := {name}{reader})"
            self.tests[before] = self.tests[before].replace(variable, read, 1)

    def length_tests(self) -> list[str]:
        """Tests that lengths which share a symbol are equal."""
        tests = [
            f"{first} == {other}"
            for first, *others in self.lengths.values()
            for other in others
        ]
        for name, symbol in self.ints:
            if symbol in self.lengths:
                tests.append(f"{name} == {self.lengths[symbol][0]}")
        return tests


def _dtype_named(name: str) -> np.dtype[Any] | None:
    try:
        dtype = np.dtype(name)
    except TypeError:
        return None
    return dtype if dtype.name == name else None
