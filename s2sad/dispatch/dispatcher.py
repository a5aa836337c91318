"""From a call to the derivative that was compiled for such calls.

A :class:`Dispatcher` stands for one derivative of one function. It keeps the
specialisations that its calls have used, the latest first, each with a check
(``dispatch/checks.py``); the first whose check is true runs. Where none fits, one is
taken from the table that is shared by all functions of the same code, or compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from s2sad.dispatch import cache, garbage
from s2sad.errors import ArgumentError, OtherForms, S2sadError, UnsupportedError
from s2sad.source.text.deep_recursion import with_room

if TYPE_CHECKING:
    from s2sad import ir
    from s2sad.codegen.derivative import Derivative
    from s2sad.codegen.numba.options import NumbaOptions

Result = TypeVar("Result")
WIDEN_AFTER = 8
"""Once so many specialisations exist, axes of length one are no longer told apart."""


@dataclass(frozen=True)
class Wanted:
    """Which derivative a dispatcher stands for."""

    recipe: str
    """The function of the compiler: ``"gradient"``, ``"vjp"``, ``"pushforward"`` or
    ``"hvp"``."""
    wrt: tuple[str, ...] | None
    """Names of parameters; None for all that may carry a derivative."""
    single: bool = False
    value: bool = False
    seeded: bool = False
    has_aux: bool = False
    """The function returns a pair, of which the second isn't differentiated."""
    switched_off: frozenset[str] = frozenset()
    numba: NumbaOptions | None = None
    """What is asked of Numba; None for the NumPy backend."""
    keeps_lists: bool = False
    """Lists of any length among ``wrt`` are references: a Jacobian has an array in
    place of each of their numbers."""
    written_out: frozenset[Hashable] = frozenset()
    """The definitions of functions whose calls Numba doesn't compile as calls."""


def _is_kept(kind: ir.Kind) -> bool:
    """True for what is kept as it is, and for what holds such."""
    from s2sad import ir

    if isinstance(kind, ir.Structure):
        return any(map(_is_kept, kind.items))
    return isinstance(kind, ir.Reference)


class Entry(NamedTuple):
    """A specialisation, bound to a function."""

    may_fit: Callable[..., bool]
    """The check without what ``run`` looks at itself, which raises OtherForms."""
    run: Callable[..., Any]
    programs: tuple[Callable[..., Any], ...]
    specialisation: cache.Specialisation
    check: Callable[..., bool]


class Dispatcher:
    """Finds or compiles the specialisation for a call.

    ``entries`` may be read without a lock; it is replaced as a whole.
    """

    def __init__(
        self,
        held: Callable[[], FunctionType | None],
        parameters: Sequence[str],
        wanted: Wanted,
    ) -> None:
        """``held`` gives the function: it may be a weak reference, so that callers
        decide how long the function lives."""
        self._held = held
        self.parameters = tuple(parameters)
        self.wanted = wanted
        self.entries: tuple[Entry, ...] = ()
        self._table = cache.MEMORY.table_of(self.function.__code__)

    @property
    def function(self) -> Any:
        """The function that is differentiated."""
        found = self._held()
        assert found is not None
        return found

    def find(self, values: tuple[Any, ...]) -> Entry:
        """The entry for these arguments, one for each parameter of the function.

        Raises ArgumentError, UnsupportedError or SourceError if it must be compiled and
        can't be.
        """
        for entry in self.entries:
            if entry.check(*values):
                self.promote(entry)
                return entry
        return self._found_or_compiled(values)

    def run(self, values: tuple[Any, ...]) -> Any:
        """What the entry for these arguments gives."""
        for entry in self.entries:
            if entry.may_fit(*values):
                self.promote(entry)
                try:
                    return entry.run(*values)
                except OtherForms:  # it has done nothing yet
                    break
        return self.find(values).run(*values)

    @with_room
    def _found_or_compiled(self, values: tuple[Any, ...]) -> Entry:
        with self._table.lock:
            for specialisation in self._table.specialisations(self.wanted):
                if specialisation.namespace is self.function.__globals__:
                    entry = self._bind(specialisation)
                    if entry.check(*values):
                        self._put_first(entry)
                        return entry
            return self._compile(values)

    def promote(self, entry: Entry) -> None:
        """Put an entry first."""
        if self.entries[:1] == (entry,):
            return
        # A hint only: no reason to wait for a thread that compiles.
        if self._table.lock.acquire(blocking=False):
            try:
                self._put_first(entry)
            finally:
                self._table.lock.release()

    def _put_first(self, entry: Entry) -> None:
        from s2sad.rules.registry import registration_count

        current = registration_count()
        others = tuple(
            e
            for e in self.entries
            if e is not entry and e.specialisation.registrations == current
        )
        self.entries = (entry, *others)[: 2 * WIDEN_AFTER]

    def _bind(self, specialisation: cache.Specialisation) -> Entry:
        if specialisation.shared:
            shared: Entry = specialisation.shared[0]
            return shared
        entry = self._bound(specialisation)
        own = specialisation.namespace is self.function.__globals__
        if own and self.function.__closure__ is None:
            specialisation.shared.append(entry)
        return entry

    def _bound(self, specialisation: cache.Specialisation) -> Entry:
        programs = tuple(p.bind(self.function) for p in specialisation.programs)
        check = may_fit = specialisation.check(self.function)
        if specialisation.may_fit is not None:
            may_fit = specialisation.may_fit(self.function)
        run = programs[0]
        if specialisation.kept:  # which may be of many objects
            run = garbage.searching_rarely(run)
        return Entry(may_fit, run, programs, specialisation, check)

    @garbage.rare_searches()
    def _compile(self, values: tuple[Any, ...]) -> Entry:
        named = dict(zip(self.parameters, values, strict=True))
        everything = "scalar_replacement" in self.wanted.switched_off
        try:
            found = self._specialise_on(named, everything=everything)
        except S2sadError:
            if not everything:
                raise
            found = self._specialise_on(named)
        specialisation, keep = found
        entry = self._bind(specialisation)
        if keep:
            self._table.add(self.wanted, specialisation)
            self._put_first(entry)
        return entry

    def _specialise_on(
        self, named: Mapping[str, Any], *, everything: bool = False
    ) -> tuple[cache.Specialisation, bool]:
        """The specialisation for arguments, by what they are alone: in no other form
        where this is refused. With ``everything`` all that can be is kept as it is."""
        from s2sad.source.kinds.lists import LONGEST_TAKEN_APART

        kinds = self._kinds(named, everything)
        if found := self._with_short_lists(named, kinds):
            return found
        check_arguments(self.function.__name__, self.wanted.wrt, kinds, named)
        if len(self._table.specialisations(self.wanted)) >= WIDEN_AFTER:
            try:
                return self._specialise(widened(kinds), named)
            except UnsupportedError:
                pass
        try:
            return self._specialise(kinds, named)
        except UnsupportedError:
            found = self._with_short_lists(named, kinds, LONGEST_TAKEN_APART)
            found = found or self._as_expressions(named, kinds)
            if found is None:
                raise
            return found

    def _as_expressions(
        self, named: Mapping[str, Any], kinds: Mapping[str, ir.Kind]
    ) -> tuple[cache.Specialisation, bool] | None:
        """The specialisation for tuples that begin with texts as parts of expressions,
        of which any may stand where another does; None where there are no such."""
        from s2sad.source.kinds import references

        if self.wanted.numba is not None or not any(map(_is_kept, kinds.values())):
            return None
        if not any(map(references.is_told_by_text, named.values())):
            return None
        try:
            return self._specialise(self._kinds(named, False, True), named)
        except S2sadError:
            return None

    def _with_short_lists(
        self, named: Mapping[str, Any], kinds: Mapping[str, ir.Kind], longest: int = 1
    ) -> tuple[cache.Specialisation, bool] | None:
        """The specialisation for lists of one item, or none, or of up to ``longest``,
        as lists of any length; None where there are no such, or the program needs their
        lengths."""
        from s2sad.source.kinds.lists import kind_of_short_list

        if self.wanted.numba is not None:
            return None
        wrt = self.wanted.wrt or ()
        short = {
            name: kind_of_short_list(value, name, name in wrt, longest)
            for name, value in named.items()
            if not _is_kept(kinds[name])
        }
        opened = {name: kind for name, kind in short.items() if kind is not None}
        if not opened:
            return None
        kinds = {**kinds, **opened}
        try:
            check_arguments(self.function.__name__, wrt, kinds, named)
            found = self._specialise(kinds, named)
        except S2sadError:
            return None
        serves = found[0].check(self.function)(*named.values())
        return found if serves else None

    def _kinds(
        self, named: Mapping[str, Any], everything: bool, expressions: bool = False
    ) -> dict[str, ir.Kind]:
        """The kinds of arguments: of what is few, or unlike, item by item, of all else
        as it is."""
        from s2sad.source.kinds import kept_values, kinds_of_values, taken_apart

        if self.wanted.numba is not None:
            return taken_apart.kinds_in_parts(named)
        lists = self.wanted.wrt if self.wanted.keeps_lists else ()
        keeping = kept_values.KeptAtRunTime(
            lists or (), everything=everything, expressions=expressions
        )
        try:
            return keeping.kinds(named)
        except kinds_of_values.TooLong as problem:
            if not keeping.why_not:
                raise
            reason = f"{problem}; nor kept as they are, since {keeping.why_not}"
            raise ArgumentError(reason) from None

    def _specialise(
        self, kinds: Mapping[str, ir.Kind], values: Mapping[str, Any]
    ) -> tuple[cache.Specialisation, bool]:
        """A specialisation, and whether later calls can be checked against it."""
        from s2sad import ir
        from s2sad.dispatch.checks import NotCheckable, compile_check
        from s2sad.rules.load import load_all
        from s2sad.rules.registry import registration_count

        load_all()
        registrations = registration_count()
        function = self.function
        derivative, found, wrt = derive(function, kinds, values, self.wanted)
        try:
            programs = self._loaded(derivative, values)
        except UnsupportedError as refused:
            kept = derivative.numba.kept if derivative.numba else frozenset()
            if not kept:
                raise
            # nothing is refused because a call is kept
            wanted = replace(self.wanted, written_out=kept)
            try:
                derivative, found, wrt = derive(function, kinds, values, wanted)
                programs = self._loaded(derivative, values)
            except S2sadError:
                raise refused from None
        kinds = ir.with_free_lengths(found, derivative.free_lengths)

        def check_of(kinds: Mapping[str, ir.Kind]) -> cache.Check:
            return compile_check(
                self.parameters,
                kinds,
                derivative.reads,
                derivative.source,
                registrations,
                derivative.data_form,
            )

        may_fit, keep = None, True
        try:
            check = check_of(kinds)
            if derivative.checked:
                left = dict.fromkeys(derivative.checked, ir.UNKNOWN)
                may_fit = check_of({**kinds, **left})
        except NotCheckable:
            check, keep = _never, False
        return (
            cache.Specialisation(
                derivative.text,
                programs,
                wrt,
                function.__globals__,
                registrations,
                check,
                may_fit,
                derivative.repeatable,
                frozenset(n for n, kind in kinds.items() if _is_kept(kind)),
            ),
            keep,
        )

    def _loaded(
        self, derivative: Derivative, values: Mapping[str, Any]
    ) -> tuple[cache.AnyProgram, ...]:
        if derivative.numba is None:
            from s2sad.dispatch.programs import load_programs

            return load_programs(derivative, self.function)
        from s2sad.dispatch.numba_loading import load_compiled

        first = self.wanted.recipe in ("gradient", "vjp") and not self.wanted.seeded
        arguments = tuple(values.values()) if first else None
        return load_compiled(derivative, self.function, arguments)


def _never(function: FunctionType) -> Callable[..., bool]:
    return lambda *values: False


@with_room
def derive(
    function: FunctionType,
    kinds: Mapping[str, ir.Kind],
    values: Mapping[str, Any],
    wanted: Wanted,
) -> tuple[Derivative, Mapping[str, ir.Kind], tuple[str, ...]]:
    """Compile a derivative; gives it with the kinds it needed and its parameters.

    ``values`` are asked where the number passed for an argument decides a kind.
    """
    from s2sad import compiler, ir
    from s2sad.codegen.derivative import Request
    from s2sad.source.text.source import source_of

    source = source_of(function)
    recipe = getattr(compiler, f"compile_{wanted.recipe}")
    wrt = wanted.wrt
    if wrt is None:
        wrt = tuple(n for n, kind in kinds.items() if ir.is_real_number_kind(kind))
        if not wrt:
            raise ArgumentError(
                f"no argument of {function.__name__} has a derivative: pass a float or "
                "an array of floats"
            )
    request = Request(
        wrt,
        single=wanted.single,
        value=wanted.value,
        seeded=wanted.seeded,
        has_aux=wanted.has_aux,
        numba=wanted.numba,
        written_out=wanted.written_out,
    )
    derivative, kinds = with_needed_values(
        lambda kinds: recipe(source, kinds, request, switched_off=wanted.switched_off),
        kinds,
        values,
        function.__name__,
    )
    return derivative, kinds, wrt


def with_needed_values(
    compile_for: Callable[[Mapping[str, ir.Kind]], Result],
    kinds: Mapping[str, ir.Kind],
    values: Mapping[str, Any],
    name: str,
) -> tuple[Result, Mapping[str, ir.Kind]]:
    """What is compiled for kinds, and these, of which those that decide others are
    known by value."""
    from s2sad.frontend.specialise import core
    from s2sad.source.kinds import kept_values

    refused: UnsupportedError | None = None
    found: core.Facts | None = None
    tried: set[tuple[str, bool]] = set()
    while True:
        try:
            with core.values_passed(partial(_value_at, values), found):
                return compile_for(kinds), kinds
        except core.SpecialiseOnValue as needed:
            for path in needed.paths:
                kinds = with_value(kinds, flat_path(path), values, name)
        except core.KeepLists as lists:
            why = lists.refused or lists.__context__
            wanted = {(name, lists.refused is None) for name in lists.names}
            if wanted <= tried and isinstance(why, UnsupportedError):
                raise why from None  # they can't be kept
            tried |= wanted
            refused = lists.refused
            whole = refused is not None
            keeping = kept_values.KeptAtRunTime(lists.names, everything=whole)
            held = {name: values[name] for name in lists.names}
            changed = {**kinds, **keeping.kinds(held)}
            if refused is not None and changed == kinds:
                raise refused from None
            kinds = changed
        except core.KeepObjects as objects:
            kinds = kept_values.with_objects_kept(kinds, values, objects.cls)
            found = objects.facts
        except UnsupportedError:
            if refused is None:
                raise
            raise refused from None


def _value_at(values: Mapping[str, Any], path: Any) -> Any:
    """What a call passes at a path; None where it passes none."""
    from s2sad import ir

    parameter, *keys = flat_path(path)
    value = values.get(str(parameter))
    for key in keys:
        if isinstance(key, ir.Var):  # a place that the program finds
            return None
        value = _item(value, key, type(value))
    return value


def flat_path(path: Any) -> tuple[Hashable, ...]:
    """The parameter and the keys that lead to a part of it.

    >>> flat_path((("params",), "n"))
    ('params', 'n')
    """
    if isinstance(path, tuple):
        if len(path) == 2 and isinstance(path[0], tuple):
            return (*flat_path(path[0]), path[1])
        return path
    return (path,)


def with_value(
    kinds: Mapping[str, ir.Kind],
    path: tuple[Hashable, ...],
    values: Mapping[str, Any],
    name: str,
) -> Mapping[str, ir.Kind]:
    """The kinds, of which the one at ``path`` is known by value."""
    parameter, *keys = path
    parameter = str(parameter)
    if parameter not in values:
        raise ArgumentError(
            f"the derivative of {name} depends on the number passed for {parameter}, "
            "which annotations don't tell: use source_for(...) with the arguments of "
            "a call, or annotate it with Literal"
        )
    kind = _kind_with_value(kinds[parameter], keys, values[parameter])
    if kind == kinds[parameter]:
        raise S2sadError(f"the value of {parameter} of {name} was asked for twice")
    return {**kinds, parameter: kind}


def _kind_with_value(kind: ir.Kind, keys: Sequence[Hashable], value: Any) -> ir.Kind:
    from s2sad import ir
    from s2sad.source.kinds import taken_apart

    if keys and isinstance(kind, ir.Structure):
        key, *rest = keys
        items = tuple(
            _kind_with_value(item, rest, _item(value, key, kind.constructor))
            if k == key and type(k) is type(key)
            else item
            for k, item in zip(kind.keys, kind.items, strict=True)
        )
        return replace(kind, items=items)
    if isinstance(kind, ir.Scalar):
        return replace(kind, value=value)
    if isinstance(kind, ir.List | ir.Reference):
        return taken_apart.kinds_in_parts({"": value})[""]
    raise ArgumentError(
        f"the derivative depends on the value of an argument of kind {kind}: pass a "
        "Python number"
    )


def _item(value: Any, key: Any, constructor: type) -> Any:
    if constructor in (tuple, list, dict):
        return value[key]
    return getattr(value, key)


def widened(kinds: Mapping[str, ir.Kind]) -> dict[str, ir.Kind]:
    """The kinds with nothing known of the lengths of axes.

    >>> from s2sad.source.kinds.kinds_of_values import kind_of_value
    >>> import numpy as np
    >>> print(widened({"x": kind_of_value(np.ones((1, 3)), "x")})["x"])
    float64[?, ?]
    """
    return {name: _widened(kind, name) for name, kind in kinds.items()}


def _widened(kind: ir.Kind, path: Hashable) -> ir.Kind:
    from s2sad import ir

    if isinstance(kind, ir.Structure):
        items = tuple(
            _widened(item, (path, key))
            for key, item in zip(kind.keys, kind.items, strict=True)
        )
        return replace(kind, items=items)
    if isinstance(kind, ir.Array) and kind.axes is not None:
        axes = tuple(ir.Axis("any", (path, k)) for k in range(len(kind.axes)))
        return replace(kind, axes=axes)
    if isinstance(kind, ir.List):
        return replace(kind, axis=replace(kind.axis, length="any"))
    return kind


def check_arguments(
    name: str,
    wrt: tuple[str, ...] | None,
    kinds: Mapping[str, ir.Kind],
    values: Mapping[str, Any],
) -> None:
    """Raise ArgumentError for what can't be differentiated: ints, objects with
    operators of their own and the like as ``wrt``."""
    from s2sad import ir

    if wrt is not None or not any(map(ir.is_real_number_kind, kinds.values())):
        for parameter in kinds if wrt is None else wrt:
            _refuse_foreign(parameter, kinds.get(parameter))
    for parameter in wrt or ():
        if parameter not in kinds:  # a local variable
            continue
        if ir.is_real_number_kind(kinds[parameter]):
            continue
        value = values.get(parameter)
        what, advice = _without_derivative(kinds[parameter], value, parameter)
        raise ArgumentError(
            f"{name} can't be differentiated with respect to {parameter}, {what}"
            + (f": {advice}" if advice else "")
        )


def _refuse_foreign(parameter: str, kind: ir.Kind | None) -> None:
    from s2sad import ir
    from s2sad.codegen.entry_checks import leaves_of
    from s2sad.source.kinds.foreign_classes import words_about

    for path, part in () if kind is None else leaves_of(parameter, kind):
        held = (slot for form in ir.reached_forms(part) for slot in form.slots.items())
        for name, own in ((None, part), *held):
            if isinstance(own, ir.Foreign):
                place = path if name is None else f"what stands at {name!r} in {path}"
                reason, advice = words_about(own.cls, place)
                raise ArgumentError(f"{reason}: {advice}")


def _without_derivative(kind: ir.Kind, value: Any, parameter: str) -> tuple[str, str]:
    """What an argument is that has no derivative, and what to pass instead."""
    from s2sad import ir

    if isinstance(kind, ir.Scalar):
        shown = float(value) if value is not None else 3.0
        article = "an" if kind.type == "int" else "a"
        return f"{article} {kind.type}", f"pass a float: {shown!r}"
    if isinstance(kind, ir.NumPyScalar):
        return f"a NumPy {kind.dtype}", f"pass a float: float({parameter})"
    if isinstance(kind, ir.Array):
        return f"an array of {kind.dtype}", f"pass {parameter}.astype(float)"
    if isinstance(kind, ir.Structure):
        return (
            f"a {kind.constructor.__name__} that holds no float",
            "pass floats or float arrays",
        )
    if isinstance(kind, ir.Known):
        return f"which is {kind.value!r}", "pass a float or a float array"
    if isinstance(value, set | frozenset):
        what = f"a {type(value).__name__}: its members are found by their values, and "
        return f"{what}have no derivative", f"pass sorted({parameter})"
    return f"of type {type(value).__name__}", "pass a float or a float array"
