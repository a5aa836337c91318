"""One program, differentiated in every way and compared with hyper-dual numbers.

Hyper-dual numbers are exact but for rounding, which a program may make large: terms of
1e14 that cancel leave two digits. Where a derivative differs, the reference is computed
again with other rounding, several times. What the results spread over can't be told
from the truth by anybody who rounds, and a difference of a few times that is no fault.
The spread has nothing to do with the derivative under test, and most programs have one
of 1e-15: there a wrong derivative differs by 1e7 times what is allowed. One that is
wrong by less than the rounding of the reference itself isn't found; programs in which
that is more than a part in ``MEANINGFUL`` are left out.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import os
import signal
import sys
import traceback
import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from s2sad.errors import UnsupportedError
from s2sad.frontend.specialise.core.exceptions import SpecialiseOnValue
from s2sad.optimise.pipeline import OF_THE_PROGRAM, SWITCHES
from s2sad.source.kinds.kinds_of_values import kind_of_value
from tests.support.compiled import NUMPY as BY_NUMPY
from tests.support.compiled import Compiled, compiled
from tests.support.dual_arrays import NUMPY
from tests.support.dual_numbers import (
    MATH,
    Kink,
    dual_like,
    number,
    part,
    rounded_otherwise,
)

TOLERANCE = 1e-7
LARGEST = 1e5
ROUNDINGS = 6
"""How often the reference is computed again where a derivative differs."""
SPREADS = 20.0
"""How many times the spread a difference may be: a derivative may add up in another
order than the reference, and six runs don't show the worst."""
MEANINGFUL = 1e-2
"""The largest spread, relative to the derivative, with which a comparison means
something."""
ALL_OFF = frozenset(SWITCHES) - OF_THE_PROGRAM
step_of_the_suite = 0
"""Of ten derivatives, ``check`` compares in the first step of the suite one or two, by
the text (``drawn_forms``), in the second (2) the others, elsewhere (0) all; see
tests/conftest.py."""
COMPENSATED = sys.version_info >= (3, 12)
ONE = "one"
LISTS, LENGTHS = ("l", "j"), (0.05, 0.05, 0.1, 0.35, 0.4, 0.05)
"""Parameters that are lists of numbers, and how often they have 0 to 1,000."""
"""Asks for one derivative, drawn by the seed."""
REFUSED_WHEN_RUN = (
    "how far the try came isn't known",
    "raised inside a try whose handler goes on",
    "has operators of its own, which rules don't know",
    "a number is put into a list with arrays",
)
UNOPTIMISED = " unoptimised"
ZEROS = {"o": 0, "q": 1}
"""Parameters that are 0, by their ranks."""
FILENAME = "<random program>"


@dataclass(frozen=True)
class Outcome:
    """What became of a program."""

    verdict: str
    """``differentiated``, ``refused``, ``left out`` (it fails by itself, overflows, or
    is at a kink) or ``wrong``."""
    detail: str = ""
    text: str = ""
    """The generated code that is wrong."""


class Wrong(Exception):
    """A derivative differs."""

    def __init__(self, what: str, text: str = "") -> None:
        super().__init__(what)
        self.text = text


def load(text: str, **names) -> dict:
    """The names that the module defines; its source can be found by ``inspect``.
    ``names`` stand for modules and builtins, unless the module has its own."""
    lines = text.splitlines(keepends=True)
    linecache.cache[FILENAME] = (len(text), None, lines, FILENAME)
    namespace = {"__name__": "random_program"}
    exec(compile(text, FILENAME, "exec", dont_inherit=True), namespace)
    for name, value in names.items():
        if isinstance(namespace.get(name, sys), ModuleType):
            namespace[name] = value
    return namespace


def draw_arguments(text: str, seed: int) -> tuple[tuple[str, ...], tuple]:
    """Names and values of the parameters of ``program``. ``o`` and ``q`` are 0; where
    the module says what parameters have been ``RENAMED``, they have the values of
    before."""
    tree = ast.parse(text)
    (node,) = [
        n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "program"
    ]
    names = tuple(a.arg for a in node.args.args)
    before = {}
    for line in tree.body:
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "RENAMED":
            before = ast.literal_eval(line.value)
    rng = np.random.default_rng(seed)
    shapes = {"v": 3, "m": (2, 3), "r": (1, 3), "c": 8, "g": (5, 8)}
    values = []
    for name in (before.get(n, n) for n in names):
        if name == "k":
            values.append(int(rng.integers(0, 4)))
        elif name in LISTS:
            length = int(rng.choice([0, 1, 2, 5, 9, 1000], p=LENGTHS))
            values.append(rng.normal(size=length).tolist())
        elif name in shapes:
            values.append(rng.normal(size=shapes[name]))
        elif name in ZEROS:
            values.append(np.zeros(2) if ZEROS[name] else 0.0)
        else:
            values.append(float(rng.normal()))
    return names, tuple(values)


class Rounding(Exception):
    """Nothing is left of the reference but its rounding errors."""


class _Refused(Exception):
    """Generated code found that it has no derivative."""


class _TooLong(Exception):
    """A program that doesn't end, which shrinking may make."""


_latest: tuple[str, str, dict[Hashable, Compiled]] = ("", BY_NUMPY, {})
"""The text that was checked last, by which backend, and what was compiled of it."""


def check(
    text: str,
    seed: int,
    seconds: int = 60,
    only: str = "",
    known: dict[Hashable, Compiled] | None = None,
    backend: str = BY_NUMPY,
) -> Outcome:
    """Differentiate ``program`` of a module and compare; ``only`` names one
    derivative, ``ONE`` has it drawn. ``known`` keeps what is compiled, for other
    arguments of the same kinds; without it, what was compiled is kept until another
    text comes. ``seconds`` are those of this process, so that a busy machine decides
    nothing. ``backend`` is one of ``compiled.BACKENDS``."""
    return check_one(text, seed, only, seconds, known, backend)


def check_one(
    text: str,
    seed: int,
    only: str,
    seconds: int = 60,
    known: dict[Hashable, Compiled] | None = None,
    backend: str = BY_NUMPY,
) -> Outcome:
    """``check`` for one derivative, which is compared in both steps of the suite."""
    global _latest

    def stop(*_):
        raise _TooLong

    if known is None:
        if _latest[:2] != (text, backend):
            _latest = (text, backend, {})
        known = _latest[2]
    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return _checked(text, seed, only, known, backend)
    except _TooLong:
        return Outcome("left out", "too long")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous)


def _checked(
    text: str, seed: int, only: str, known: dict[Hashable, Compiled], backend: str
) -> Outcome:
    try:
        names, args = draw_arguments(text, seed)
        rng = np.random.default_rng([seed, 1])
        directions = [tuple(_direction(rng, a) for a in args) for _ in range(2)]
        with np.errstate(all="ignore"):
            function = load(text)["program"]
            value = function(*_copies(args))
            weights = tuple(_direction(rng, v) for v in _as_tuple(value))
    except _TooLong:
        raise
    except Exception as error:
        return Outcome("left out", f"{type(error).__name__} in the program")
    if all(isinstance(part, int) for part in _as_tuple(value)):
        return Outcome("left out", "an int is returned, which has no derivative")
    try:
        with np.errstate(all="ignore"):
            oracle = _oracle(text, args, directions)
    except (Kink, ArithmeticError, ValueError, TypeError) as error:
        # a TypeError: the sum of no dual numbers is an int, and so is an array of such
        return Outcome("left out", type(error).__name__)
    parts = [
        _weighed(oracle, weights, p) for p in ("value", "first", "second", "mixed")
    ]
    if not all(np.isfinite(p) and abs(p) < LARGEST for p in parts):
        return Outcome("left out", "overflow")
    own = _weighed(_as_tuple(value), weights, "value")
    if not abs(own - parts[0]) <= 1e-3 * (1.0 + abs(own)):
        return Outcome("left out", "a comparison that the last digit decides")
    try:
        with np.errstate(all="ignore"):
            case = _Case(
                function, names, args, directions, value, weights, oracle, text
            )
            case.known, case.backend = known, backend
            _check_all(case, case.drawn(seed) if only == ONE else only)
    except UnsupportedError as error:
        reason = error.problems[0].reason
        # on a path that this run doesn't take, NumPy would raise as well
        wrong_anyway = "NumPy lets nobody write into" in reason
        return Outcome("left out" if wrong_anyway else "refused", reason)
    except _Refused as error:
        return Outcome("refused", str(error))
    except SpecialiseOnValue as error:
        return Outcome("refused", f"a value is needed: {error}")
    except Rounding:
        return Outcome("left out", "rounding")
    except Wrong as wrong:
        if "nan where" in str(wrong) and _overflows(function, args):
            return Outcome("left out", "overflow inside")
        return Outcome("wrong", str(wrong), wrong.text)
    return Outcome("differentiated")


def _overflows(function, args: tuple) -> bool:
    """True where a number becomes infinite on the way to what is returned: if nobody
    reads it its adjoint is zero, and zero times infinity is nan."""
    try:
        with np.errstate(over="raise"):
            function(*_copies(args))
    except FloatingPointError:
        return True
    return False


def _copies(args: tuple) -> tuple:
    return tuple(a.copy() if isinstance(a, np.ndarray | list) else a for a in args)


def _as_tuple(value) -> tuple:
    return value if isinstance(value, tuple) else (value,)


def _direction(rng, value):
    """A random direction of a value's shape; None for an int."""
    if isinstance(value, int | bool):
        return None
    drawn = rng.normal(size=np.shape(value))
    if isinstance(value, list):
        return drawn.tolist()
    return drawn if isinstance(value, np.ndarray) else float(drawn)


def _oracle(text: str, args: tuple, directions: list) -> tuple:
    """The results of the program on hyper-dual numbers."""
    with _imports_on_dual_numbers():
        namespace = load(text, np=NUMPY, math=MATH, float=number)
    duals = [
        a if d is None else dual_like(a, d, e) for a, d, e in zip(args, *directions)
    ]
    return _as_tuple(namespace["program"](*duals))


@contextlib.contextmanager
def _imports_on_dual_numbers():
    """Arrays of the module, and defaults of parameters, are object arrays too."""
    names = {"numpy": NUMPY, "math": MATH}
    kept = {name: sys.modules[name] for name in names}
    sys.modules.update(names)
    try:
        yield
    finally:
        sys.modules.update(kept)


def _weighed(results: tuple, weights: tuple, name: str) -> float:
    return sum(
        float(np.sum(np.asarray(part(r, name)) * w))
        for r, w in zip(results, weights)
        if w is not None
    )


def _inner(gradients: tuple, direction: tuple) -> float:
    pairs = zip(gradients, [d for d in direction if d is not None])
    return float(sum(np.sum(np.asarray(g) * d) for g, d in pairs))


def spread_of(text: str, args: tuple, directions: list, weights: tuple, part: str):
    """How far a part of the reference moves where its arithmetic rounds otherwise."""
    found = []
    for salt in range(ROUNDINGS + 1):
        try:
            with np.errstate(all="ignore"), rounded_otherwise(salt):
                found.append(_weighed(_oracle(text, args, directions), weights, part))
        except (Kink, ArithmeticError, ValueError):
            continue  # a comparison that the last digit decides
    return max(found) - min(found) if len(found) > 1 else 0.0


class _Case:
    """A program with its arguments and what its derivatives must be."""

    def __init__(
        self, function, names, args, directions, value, weights, oracle, text
    ) -> None:
        self.function, self.args, self.directions = function, args, directions
        self.value, self.weights = value, weights
        self.wrt = tuple(n for n, d in zip(names, directions[0]) if d is not None)
        self.tangents = tuple(d for d in directions[0] if d is not None)
        parts = ("first", "second", "mixed")
        self.want = {p: _weighed(oracle, weights, p) for p in parts}
        cotangents = tuple(0.0 if w is None else w for w in weights)
        self.cotangent = cotangents if isinstance(value, tuple) else cotangents[0]
        number = not isinstance(value, tuple) and np.ndim(value) == 0
        self.scalar = number and weights[0] is not None
        self.known: dict[Hashable, Compiled] = {}
        self.backend = BY_NUMPY
        self.text = text
        self.spreads: dict[str, float] = {}

    def close(
        self, got: float, part: str, what: str, made: str, scale: float = 0.0
    ) -> None:
        """Raise Wrong where a product differs from that of the reference by more than
        rounding explains, and Rounding where that explains everything."""
        want = self.want[part]
        if abs(got - want) <= TOLERANCE * (1.0 + abs(want) + scale):
            return
        if part not in self.spreads:
            self.spreads[part] = spread_of(
                self.text, self.args, self.directions, self.weights, part
            )
        spread = self.spreads[part]
        if not abs(got - want) <= SPREADS * spread:
            raise Wrong(f"{what}: {got!r} where {want!r} was expected", made)
        if spread > MEANINGFUL * abs(want):
            raise Rounding

    def steps(self) -> dict[str, Callable[[frozenset[str], str], None]]:
        """Every derivative there is of the program."""
        steps = {"vjp": self.vjp, "jvp": self.jvp}
        if self.scalar:
            steps |= {
                "gradient": self.gradient,
                "value_and_grad": self.value_and_grad,
                "hvp": self.hvp,
            }
            if self.backend != BY_NUMPY:
                del steps["vjp"]  # Numba can't hand on what it keeps in lists
        return steps

    def drawn_forms(self) -> set[str]:
        """A derivative of reverse mode, and for half of the texts one that runs forward
        or isn't optimised, by the text: those of the first step."""
        names = list(self.steps())
        forward = [n for n in names if n in ("jvp", "hvp")]
        reverse = [n for n in names if n not in forward]
        number = zlib.crc32(self.text.encode())
        if number // 11 % 2:
            return {reverse[number % len(reverse)]}
        other = forward[number // 7 % len(forward)]
        if number // 49 % 2:
            other = names[number // 98 % len(names)] + UNOPTIMISED
        return {reverse[number % len(reverse)], other}

    def is_drawn_in_second_step(self, form: str) -> bool:
        """True for half of the forms, by the text."""
        return zlib.crc32(f"{form}: {self.text}".encode()) % 2 == 0

    def drawn(self, seed: int) -> str:
        """The name of one derivative; one in three isn't optimised."""
        rng = np.random.default_rng([seed, 2])
        return str(rng.choice(list(self.steps()))) + rng.choice(["", "", UNOPTIMISED])

    def build(self, recipe: str, off: frozenset[str], **options):
        kinds = tuple(kind_of_value(v, (k,)) for k, v in enumerate(self.args))
        key = (recipe, off, tuple(options.items()), kinds)
        if key not in self.known:
            self.known[key] = compiled(
                recipe,
                self.function,
                self.args,
                self.wrt,
                switched_off=off,
                backend=self.backend,
                **options,
            )
        return self.known[key]

    def vjp(self, off: frozenset[str], name: str) -> None:
        made = self.build("vjp", off)
        result, residuals = _run(made, 0, self.args, name)
        self.same(result, name, made.text)
        for factor in (1.0, -2.0):
            cotangent = _scaled(self.cotangent, factor)
            bars = _run(made, 1, (residuals, cotangent), name)
            others = (*_as_tuple(result), *_as_tuple(cotangent))
            _owned(bars, self.args, name, made.text, others)
            self.compare(bars, 1 / factor, name, made.text)

    def gradient(
        self, off: frozenset[str], name: str, with_value: bool = False
    ) -> None:
        made = self.build("gradient", off, value=with_value)
        bars = _run(made, 0, self.args, name)
        if with_value:
            result, bars = bars
            self.same(result, name, made.text)
        _owned(bars, self.args, name, made.text)
        self.compare(bars, self.weights[0], name, made.text)
        again = _run(made, 0, self.args, name)  # nothing is kept from call to call
        for bar, other in zip(bars, again[1] if with_value else again):
            if not np.array_equal(bar, other, equal_nan=True):
                raise Wrong(f"{name}: differs at the second call", made.text)

    def value_and_grad(self, off: frozenset[str], name: str) -> None:
        self.gradient(off, name, True)

    def hvp(self, off: frozenset[str], name: str) -> None:
        made = self.build("hvp", off)
        product = _run(made, 0, (*self.args, *self.tangents), name)
        got = _inner(product, self.directions[1]) * self.weights[0]
        self.close(got, "mixed", name, made.text, abs(self.want["first"]))

    def jvp(self, off: frozenset[str], name: str) -> None:
        made = self.build("pushforward", off)
        result, tangent = _run(made, 0, (*self.args, *self.tangents), name)
        self.same(result, name, made.text)
        pairs = zip(_as_tuple(tangent), self.weights)
        got = sum(float(np.sum(np.asarray(t) * w)) for t, w in pairs if w is not None)
        self.close(got, "first", name, made.text)

    def same(self, result, name: str, text: str) -> None:
        """The value is the function's own, up to what the backend rounds otherwise."""
        if self.backend == BY_NUMPY:
            _same(result, self.value, name, text)
            return
        for a, b in zip(_as_tuple(result), _as_tuple(self.value), strict=True):
            if np.shape(a) != np.shape(b) or not np.allclose(a, b, 1e-8, 1e-9):
                raise Wrong(f"{name}: {a!r} where the function gives {b!r}", text)

    def compare(self, bars, factor: float, name: str, text: str) -> None:
        grads = tuple(np.asarray(b) * factor for b in bars)
        floats = [a for a in self.args if not isinstance(a, int)]
        for grad, arg in zip(grads, floats, strict=True):
            if np.shape(grad) != np.shape(arg):
                raise Wrong(f"{name}: has the shape {np.shape(grad)}", text)
        for direction, part_ in zip(self.directions, ("first", "second")):
            self.close(_inner(grads, direction), part_, name, text)


def _check_all(case: _Case, only: str) -> None:
    wanted = {only}
    if not only:
        wanted = {n + s for n in case.steps() for s in ("", UNOPTIMISED)}
        if step_of_the_suite == 1:
            wanted = case.drawn_forms()
        elif step_of_the_suite == 2:
            wanted -= case.drawn_forms()
            if os.environ.get("S2SAD_ALL_RULES") != "1":
                wanted = set(filter(case.is_drawn_in_second_step, wanted))
    for off, suffix in ((frozenset(), ""), (ALL_OFF, UNOPTIMISED)):
        for name, step in case.steps().items():
            if name + suffix in wanted:
                try:
                    step(off, name + suffix)
                except (
                    Wrong,
                    Rounding,
                    UnsupportedError,
                    SpecialiseOnValue,
                    _TooLong,
                    _Refused,
                ):
                    raise
                except Exception as error:
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    what = f"{name}{suffix}: {type(error).__name__} in {where.name}"
                    raise Wrong(f"{what}: {str(error)[:200]}") from error


def _run(made, number: int, args: tuple, name: str):
    """Call generated code; what it raises is a fault, and its arguments must stay."""
    before = _copies(args) if number == 0 else ()
    try:
        result = made.functions[number](*args)
    except _TooLong:
        raise
    except Exception as error:
        if any(reason in str(error) for reason in REFUSED_WHEN_RUN):
            raise _Refused(str(error)) from error
        raise Wrong(
            f"{name}: {type(error).__name__} when run: {error}", made.text
        ) from error
    for old, new in zip(before, args):
        if isinstance(old, np.ndarray | list) and not np.array_equal(old, new):
            raise Wrong(f"{name}: an argument was changed", made.text)
    return result


def _scaled(cotangent, factor: float):
    if isinstance(cotangent, tuple):
        return tuple(_scaled(c, factor) for c in cotangent)
    return factor * cotangent


def _owned(bars, args, what, text, more=()) -> None:
    """Gradients of arrays are float64 arrays that share no memory with anything."""
    arrays = [b for b in bars if isinstance(b, np.ndarray)]
    floats = [a for a in args if not isinstance(a, int)]
    for bar, arg in zip(bars, floats, strict=True):
        if isinstance(arg, np.ndarray):
            if not isinstance(bar, np.ndarray) or bar.dtype != arg.dtype:
                raise Wrong(f"{what}: has an adjoint of type {type(bar)}", text)
            if not bar.flags.writeable:
                raise Wrong(f"{what}: gives a read-only array", text)
    others = [a for a in (*args, *more) if isinstance(a, np.ndarray)]
    for position, bar in enumerate(arrays):
        for other in arrays[position + 1 :] + others:
            if np.shares_memory(bar, other):
                raise Wrong(f"{what}: gives an array that shares memory", text)


def _same(got, want, what, text) -> None:
    """Bit for bit, and of the same type. Where ``sum`` compensates for rounding, a loop
    in its place may differ in the last bits; so may the sum of an array by columns,
    where the derivative has a copy, which is by rows."""
    pairs = list(zip(_as_tuple(got), _as_tuple(want), strict=True))
    for a, b in pairs:
        numbers = isinstance(b, float | int | np.ndarray | np.generic)
        same = np.array_equal(a, b, equal_nan=True) if numbers else a == b
        if not same and (COMPENSATED or ".copy()" in text):
            same = np.shape(a) == np.shape(b) and np.allclose(a, b, 1e-13, 1e-14)
        if type(a) is not type(b) or not same:
            raise Wrong(f"{what}: {a!r} where the function gives {b!r}", text)
