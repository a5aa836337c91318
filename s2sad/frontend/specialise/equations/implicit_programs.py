"""Programs of the derivatives of an equation in its unknown: the matrix, its products
with a vector, and the linear equation of an adjoint or a tangent.

They take the parameters of the equation, and are made once for it.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad import ir, rules
from s2sad.equations import linear_maps
from s2sad.equations.found import states_by
from s2sad.equations.jacobians import columns_of_difference, columns_of_jacobian
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.derivatives.inlined_programs import call_derivative
from s2sad.frontend.specialise.recursion import procedure_programs, recursion
from s2sad.source.normalise import normalised
from s2sad.source.text.scopes import assigned_names
from s2sad.source.text.source import source_of_own


@dataclass(frozen=True)
class System:
    """The equation ``z = step(z)``, or ``f(z) = 0``, whose unknown are the first
    ``count`` parameters of ``equation``, and how linear systems with its Jacobian are
    solved."""

    equation: ir.Procedure
    count: int
    is_root: bool
    solver: str
    base: System | None = None
    """Of the linear equation of an adjoint or a tangent: the one whose Jacobian, or
    transposed Jacobian, it has."""
    transposed: bool = False

    @property
    def is_of_number(self) -> bool:
        """True where the Jacobian is a number, and a system is a division."""
        kind = self.equation.details.parameters[0].kind
        return self.count == 1 and ir.rank_of(kind) == 0

    @property
    def matrix_free(self) -> bool:
        """True where only products with the Jacobian are taken."""
        return self.solver != "direct" and not self.is_of_number

    @property
    def in_words(self) -> str:
        parameters = self.equation.details.parameters[: self.count]
        unknowns = ", ".join(str(p.operand) for p in parameters)
        name = self.equation.__name__
        what = name if self.is_root else f"{unknowns} - {name}"
        return f"{what} with respect to {unknowns}"


class Derived(rules.OwnRule):
    """An operation whose derivatives are lines that it writes itself."""

    pulled_back: Callable[..., core.Value]
    """Writes the lines of the reverse sweep: cotangents of the arguments wanted."""
    pushed_forward: Callable[..., core.Value]
    """Writes the lines of the tangent, from those of the arguments that vary."""

    def describe(
        self,
        name: str,
        parameters: Iterable[str],
        differentiable: Iterable[str],
        kind: Callable[..., ir.Kind],
    ) -> None:
        """Let it be an operation with these parameters."""
        self.__name__, form = name, inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.rule = rules.Rule(
            self,
            inspect.Signature([inspect.Parameter(n, form) for n in parameters]),
            kind=kind,
            differentiable=tuple(differentiable),
            reverse=self.pulled_back,
            forward=self.pushed_forward,
            written=True,
        )


def active_of(names: Iterable[str], parameters: Iterable[core.Leaf]) -> Iterator[str]:
    """The names of those parameters that hold real numbers."""
    pairs = zip(names, parameters, strict=True)
    return (n for n, leaf in pairs if ir.is_real_number_kind(leaf.kind))


def alone_or_all(parts: Iterable[core.Value]) -> core.Value:
    """One value by itself, several as a tuple."""
    found = tuple(parts)
    return found[0] if len(found) == 1 else core.aggregate_of(found)


def matrix_of(
    spec: Specialiser, system: System, given: list[core.Leaf]
) -> ir.Procedure:
    """The program of the Jacobian of ``f``, or of ``z - step(z)``."""
    template = columns_of_jacobian if system.is_root else columns_of_difference
    made = _Program(
        ("matrix", system.is_root),
        template,
        _named(system, "jacobian"),
        f"Jacobian of {system.in_words}.",
    )
    return made.specialised(spec, system, given)


def product_of(
    spec: Specialiser,
    system: System,
    given: list[core.Leaf],
    transposed: bool,
    vector: core.Leaf,
) -> ir.Procedure:
    """The program of a product of the same matrix, or the transposed one, and a vector
    like ``vector``, which is its first parameter."""
    made = _Program(
        ("product", system.is_root, transposed),
        linear_maps.product_of_map
        if system.is_root
        else linear_maps.product_of_difference,
        _named(system, "transposed_product" if transposed else "product"),
        f"The {'transposed ' * transposed}Jacobian of {system.in_words}, times a "
        "vector.",
        transposed,
        {"vector": replace(vector, operand=ir.Var("vector"))},
    )
    return made.specialised(spec, system, given)


def linear_equation_of(
    spec: Specialiser, system: System, given: list[core.Leaf], transposed: bool
) -> System:
    """The equation of an adjoint or a tangent of a solution: ``right + L direction``,
    with the Jacobian ``L`` of the equation or the transposed one, is the direction
    again, or zero for that of a root. Its first parameters are those of ``direction``
    and ``right``."""
    kinds = [p.kind for p in system.equation.details.parameters[: system.count]]

    def like_unknown(name: str) -> core.Value:
        return alone_or_all(core.Leaf(ir.Var(name), kind) for kind in kinds)

    what = "adjoint" if transposed else "tangent"
    made = _Program(
        ("linear", transposed),
        linear_maps.linear_step,
        _named(system, what),
        f"The equation of the {what} of {system.equation.__name__}.",
        transposed,
        {name: like_unknown(name) for name in ("direction", "right")},
    )
    return replace(
        system,
        equation=made.specialised(spec, system, given),
        base=system,
        transposed=transposed,
    )


def _named(system: System, what: str) -> str:
    name = system.equation.__name__
    return what if name == "function" else f"{name}_{what}"


@dataclass(frozen=True)
class _Program:
    """A text of ``s2sad.equations`` as a program with the parameters of the equation
    behind ``first``. In the text ``unknown`` is the unknown of the equation, and
    ``pushed`` or ``mapped`` is its tangent there, its pullback where ``transposed``."""

    key: Hashable
    template: Callable[..., Any]
    name: str
    docstring: str
    transposed: bool = False
    first: Mapping[str, core.Value] = field(default_factory=dict)

    def specialised(
        self, spec: Specialiser, system: System, given: list[core.Leaf]
    ) -> ir.Procedure:
        """The program, made once for an equation."""
        equation, count = system.equation, system.count
        known = equation.derived.get(self.key)
        if known is not None:
            return known
        assigned = assigned_names(normalised(source_of_own(self.template)))
        taken = {*assigned, "pushed", "mapped", "unknown", *self.first}
        bound: dict[str, core.Value] = {}
        for parameter, leaf in zip(equation.details.parameters, given, strict=True):
            name = untaken(str(parameter.operand), taken)
            bound[name] = replace(leaf, kind=parameter.kind)
        bound = {**self.first, **bound}

        def seen(arguments: Mapping[str, core.Value]) -> dict[str, core.Value]:
            parts = tuple(arguments[name] for name in bound if name not in self.first)
            mark = pull_call if self.transposed else push_call
            mapped = core.Partial(
                core.constant(mark), (core.constant(equation), core.aggregate_of(parts))
            )
            names = {name: arguments[name] for name in self.first}
            names["unknown"] = alone_or_all(parts[:count])
            return {**names, "pushed": mapped, "mapped": mapped}

        own = program_of_text(
            spec, self.template, self.name, self.docstring, bound, seen
        )
        equation.derived[self.key] = own
        return own


def untaken(wish: str, taken: set[str]) -> str:
    """A name that isn't taken yet, and is from now on."""
    while wish in taken:
        wish += "_"
    taken.add(wish)
    return wish


def program_of_text(
    spec: Specialiser,
    text: Callable[..., Any],
    name: str,
    docstring: str,
    bound: dict[str, core.Value],
    seen: Callable[[Mapping[str, core.Value]], dict[str, core.Value]],
) -> ir.Procedure:
    """A text of ``s2sad.implicit`` as a program with parameters of the kinds in
    ``bound``. ``seen`` says what the names in the text mean, by these parameters."""
    template = source_of_own(text)
    own = procedure_programs.new_procedure(spec, template, bound, exact=True, name=name)
    own.docstring = docstring
    names = seen(own.details.arguments)

    def activation() -> core.Frame:
        frame = spec.activation_of(template, None, {})
        frame.names.update(names)
        return frame

    procedure_programs.specialise_procedure(spec, own, activation, normalised(template))
    own.function = replace(own.function, docstring=docstring)
    spec.procedures.known["exact", own] = own
    return own


# ------------------------------------------------------------------ linear maps


def push_call(*args: Any) -> Any:
    """Stands for the tangent of an equation, of that of its unknown."""
    raise NotImplementedError


def pull_call(*args: Any) -> Any:
    """Stands for the pullback of an equation to its unknown."""
    raise NotImplementedError


def pushed(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """What a call of :func:`push_call` becomes."""
    mark, given, tangent = args
    equation: ir.Procedure = core.known_value(mark)
    dots = list(core.leaves(tangent))
    names = (str(p.operand) for p in equation.details.parameters[: len(dots)])
    made = spec.derivatives.pushforward_of(equation, tuple(names))
    found = written_or_called(spec, made, [*core.leaves(given), *dots])
    return alone_or_all(list(core.leaves(found))[len(dots) :])


def pulled(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """What a call of :func:`pull_call` becomes."""
    mark, given, cotangent = args
    equation: ir.Procedure = core.known_value(mark)
    seeds = list(core.leaves(cotangent))
    names = (str(p.operand) for p in equation.details.parameters[: len(seeds)])
    made = spec.derivatives.gradient_of(
        equation, tuple(names), value=False, seeded=True
    )
    found = written_or_called(spec, made, [*core.leaves(given), *seeds])
    return alone_or_all(core.leaves(found))


def step_call(*args: Any) -> Any:
    """Stands for one step of the iteration to an adjoint or a tangent."""
    raise NotImplementedError


def stepped(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """What a call of :func:`step_call` becomes."""
    right, mapped, direction = args
    given = (direction, right, mapped)
    return spec.inline(source_of_own(linear_maps.linear_step), given, {})


def slope(
    spec: Specialiser, equation: ir.Procedure, given: list[core.Leaf], is_root: bool
) -> core.Value:
    """The derivative of ``f(z)``, or of ``z - step(z)``, of a number."""
    (name,) = (str(p.operand) for p in equation.details.parameters[:1])
    made = spec.derivatives.pushforward_of(equation, (name,))
    found = written_or_called(spec, made, [*given, core.constant(1.0)])
    own = found.items[1]  # type: ignore[union-attr]
    if is_root:
        return own
    return spec.operate(operator.sub, (core.constant(1.0), own))


def written_or_called(
    spec: Specialiser, procedure: ir.Procedure, given: list[core.Leaf]
) -> core.Value:
    """The results of a program: its lines themselves, or a call of it if it has loops
    or branches."""
    *body, _ = procedure.function.body
    if all(isinstance(s, ir.Assign) for s in body):
        return call_derivative(spec, procedure, given)
    return recursion.call_with(spec, procedure, given)


def program_call(*args: Any) -> Any:
    """Stands for a call of a program."""
    raise NotImplementedError


def called(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """What a call of :func:`program_call` becomes."""
    mark, *given = args
    procedure: ir.Procedure = core.known_value(mark)
    dynamic = [leaf for value in given for leaf in core.leaves(value)]
    return written_or_called(spec, procedure, dynamic)


OF_PROGRAMS: dict[Any, Callable[..., core.Value]] = {
    push_call: pushed,
    pull_call: pulled,
    step_call: stepped,
    program_call: called,
    states_by: lambda spec, args, words: spec.solved(args),
}
"""What calls in texts become that stand for programs."""
