"""Integrals over a variable as operations of the program.

``value, error = quad(f, low, high)`` becomes a call of SciPy and one operation that
gives what SciPy found the derivative of the integral::

    v = integral(v.1, low, high, a)     reverse:  low.bar  = -v.bar f(low, a)
                                                  high.bar =  v.bar f(high, a)
                                                  a.bar = integral of (df/da)^T v.bar
                                        tangent:  the same, of df/da a.dot

The integrands of derivatives are programs themselves, whose integral is such an
operation again: derivatives of any order follow. Where a limit is infinite and varies
there is none. Source: Leibniz' rule for derivatives under the integral sign.
"""

import operator
from collections.abc import Mapping

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.equations import implicit_programs
from s2sad.frontend.specialise.recursion import forms, recursion
from s2sad.ops.numerics.quadrature import quadratures


class FoundBefore(implicit_programs.Derived):
    """An operation whose result is its first ``count`` arguments, to which it gives a
    derivative."""

    count: int


class Integral(FoundBefore):
    """The operation that gives numbers and arrays the derivative of the integrals of
    what ``integrand`` returns.

    Its arguments are these, the limits, the parameters of the integrand behind its
    variable, and the tolerances.
    """

    def __init__(self, integrand: ir.Procedure) -> None:
        self.integrand = integrand
        kinds = forms.returned_kinds(integrand)
        self.count = len(kinds)
        self.found = tuple(f"found_{k}" for k in range(self.count))
        parameters = integrand.details.parameters[1:]
        self.others = tuple(f"of_{p.operand}" for p in parameters)
        names = (*self.found, "low", "high", *self.others, "epsabs", "epsrel")
        active = implicit_programs.active_of(self.others, parameters)
        name = f"{integrand.__name__}_integral"
        self.describe(name, names, ("low", "high", *active), self._kind)

    def _kind(self, **kinds: ir.Kind) -> ir.Kind:
        return _alone_or_tuple([ir.without_value(kinds[name]) for name in self.found])

    # ------------------------------------------------------------------ lines

    def pulled_back(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        out: core.Value,
        out_bar: core.Value,
        wanted: tuple[str, ...],
    ) -> core.Value:
        """The lines of the reverse sweep: cotangents of the ``wanted`` arguments."""
        seeds = [
            _whole(spec, *pair) for pair in zip(core.leaves(out), core.leaves(out_bar))
        ]
        active = tuple(n for n in wanted if n in self.others)
        parts: dict[str, core.Value] = {}
        if active:
            names = tuple(name.removeprefix("of_") for name in active)
            made = spec.derivatives.gradient_of(
                self.integrand, names, value=False, seeded=True
            )
            others = [*self._given(bound), *seeds]
            found = integral_of(spec, made, bound, others)
            parts.update(zip(active, core.leaves(found), strict=True))
        for limit in {"low", "high"}.intersection(wanted):
            values = core.leaves(self._at(spec, bound, limit))
            products = [_product(spec, *pair) for pair in zip(values, seeds)]
            total = products[0]
            for product in products[1:]:
                total = spec.operate(operator.add, (total, product))
            if limit == "low":
                total = spec.operate(operator.neg, (total,))
            parts[limit] = total
        return implicit_programs.alone_or_all(parts[name] for name in wanted)

    def pushed_forward(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        out: core.Value,
        dots: Mapping[str, core.Value],
    ) -> core.Value:
        """The lines of the tangent, from those of the arguments that vary."""
        active = tuple(n for n in dots if n in self.others)
        changes: list[core.Value] = []
        if active:
            names = tuple(name.removeprefix("of_") for name in active)
            made = spec.derivatives.pushforward_of(self.integrand, names)
            tangents = (t for n in active for t in core.leaves(dots[n]))
            found = integral_of(spec, made, bound, [*self._given(bound), *tangents])
            changes.extend(list(core.leaves(found))[self.count :])
        for limit, sign in (("high", operator.add), ("low", operator.sub)):
            if limit not in dots:
                continue
            values = core.leaves(self._at(spec, bound, limit))
            times = operator.mul
            steps = [spec.operate(times, (v, dots[limit])) for v in values]
            if changes:
                pairs = zip(changes, steps, strict=True)
                changes = [spec.operate(sign, pair) for pair in pairs]
            elif sign is operator.sub:
                changes = [spec.operate(operator.neg, (s,)) for s in steps]
            else:
                changes = steps
        return implicit_programs.alone_or_all(changes)

    def _given(self, bound: Mapping[str, core.Value]) -> list[core.Leaf]:
        return [leaf for name in self.others for leaf in core.leaves(bound[name])]

    def _at(
        self, spec: Specialiser, bound: Mapping[str, core.Value], limit: str
    ) -> core.Value:
        """What the integrand returns at a limit."""
        (place,) = core.leaves(bound[limit])
        return recursion.call_with(spec, self.integrand, [place, *self._given(bound)])


def integral_of(
    spec: Specialiser,
    program: ir.Procedure,
    bound: Mapping[str, core.Value],
    given: list[core.Leaf],
) -> core.Value:
    """The integrals of what a program returns that takes the variable and what is
    given, with their derivatives."""
    ends = (bound["low"], bound["high"])
    limits = (bound["epsabs"], bound["epsrel"])
    handed = (core.constant(program), *ends, core.aggregate_of(tuple(given)), *limits)
    found = spec.apply(quadratures, handed, hint="integral")
    arguments = (*core.leaves(found), *ends, *given, *limits)
    return spec.apply(Integral(program), arguments, hint="integral")


def _alone_or_tuple(kinds: list[ir.Kind]) -> ir.Kind:
    return kinds[0] if len(kinds) == 1 else ir.tuple_of_kinds(kinds)


def _whole(spec: Specialiser, own: core.Leaf, bar: core.Leaf) -> core.Leaf:
    """The cotangent, with zeros for an array that nobody reads."""
    if isinstance(own.kind, ir.Array) and bar.operand == ir.Const(0.0):
        return core.single(spec.apply(np.zeros_like, (own,)))
    return bar


def _product(spec: Specialiser, value: core.Leaf, seed: core.Leaf) -> core.Value:
    """The inner product of a result at a limit and its cotangent."""
    product = spec.operate(operator.mul, (value, seed))
    (leaf,) = core.leaves(product)
    return product if ir.rank_of(leaf.kind) == 0 else spec.apply(np.sum, (leaf,))


def _kind_of_integrals(f: ir.Kind, **others: ir.Kind) -> ir.Kind:
    assert isinstance(f, ir.Known)
    kinds = forms.returned_kinds(rules.static_value(f))
    return _alone_or_tuple(list(map(ir.without_value, kinds)))


rules.without_derivative(
    quadratures,
    lambda f, low, high, args, epsabs, epsrel: None,
    kind=_kind_of_integrals,
)
