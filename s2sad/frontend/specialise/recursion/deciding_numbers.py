"""Floats that decide a branch: the parameters of a procedure that a test reads, with
nothing else but constants.

A call that knows such a number has a version of its own, in which the branch is gone::

    def leaky(x, slope):
        if slope > 0.0:          leaky(x, 0.1):  return np.maximum(x, 0.1 * x)
            ...                  leaky(x, 0.0):  return np.maximum(x, 0.0)
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from s2sad import ir
from s2sad.analysis.passes.purity import is_pure
from s2sad.frontend.specialise import core

Places = frozenset[tuple[Hashable, int]]
"""Numbers among what is passed: the parameter, or the activation and the name of a
captured variable, and which of its leaves."""


def found_in(procedure: ir.Procedure) -> Places:
    """The parameters that decide a branch of a program, or of one that it calls."""
    parameters = _parameters(procedure.details)
    read = {leaf.operand: frozenset({place}) for place, leaf in parameters}
    return frozenset().union(*_deciding(procedure.function.body, read))


def known_at(places: Places, given: Mapping[Any, core.Value]) -> bool:
    """True where some of these numbers are known in what is passed."""
    return any(
        (key, place) in places and known(leaf) is not None
        for key, value in given.items()
        for place, leaf in enumerate(core.leaves(value))
    )


def agree(places: Places, key: Hashable, own: core.Value, now: core.Value) -> bool:
    """True for a call that knows of these numbers what a version was made for."""
    pairs = zip(core.leaves(own), core.leaves(now), strict=True)
    return all(
        repr(known(a)) == repr(known(b))
        for place, (a, b) in enumerate(pairs)
        if (key, place) in places
    )


def known(leaf: core.Leaf) -> core.Leaf | None:
    """A float as a constant, where the compiler knows it. Kinds don't tell the two
    zeros apart."""
    if isinstance(leaf.operand, ir.Const):
        return leaf if type(leaf.operand.value) is float else None
    value = leaf.kind.value if isinstance(leaf.kind, ir.Scalar) else None
    return core.constant(value) if type(value) is float and value else None


def _parameters(details: Any) -> Iterator[tuple[tuple[Hashable, int], core.Leaf]]:
    """The floats among the parameters, by where they are passed."""
    passed: dict[Hashable, core.Value] = dict(details.arguments)
    passed |= {(owner, name): value for owner, name, value in details.captured}
    for key, value in passed.items():
        for place, leaf in enumerate(core.leaves(value)):
            is_float = isinstance(leaf.kind, ir.Scalar) and leaf.kind.type == "float"
            if isinstance(leaf.operand, ir.Var) and (
                is_float or isinstance(leaf.kind, ir.NumPyScalar)
            ):
                yield (key, place), leaf


def _deciding(block: ir.Block, read: dict[ir.Operand, Places]) -> Iterator[Places]:
    """The parameters that each test in a block reads, if it reads nothing else.
    ``read`` says so of variables, and is brought up to date."""
    for s in block:
        for operation in ir.operations(s):
            for operand in _deciding_arguments(operation):
                yield _read_by(operand, read) or frozenset()
        if isinstance(s, ir.Assign):
            value = _read_by(s.value, read)
            _forget(ir.direct_writes(s), read)
            if isinstance(s.target, ir.Var) and value is not None:
                read[s.target] = value
            continue
        if isinstance(s, ir.If):
            yield _read_by(s.test, read) or frozenset()
        inside = [v for inner in ir.walk((s,)) for v in ir.direct_writes(inner)]
        if not isinstance(s, ir.If):
            _forget(inside, read)  # other turns, or what was done when it raised
        for inner in ir.blocks_of(s):
            yield from _deciding(inner, dict(read))
        _forget(inside, read)


def _forget(variables: Iterable[ir.Operand], read: dict[ir.Operand, Places]) -> None:
    for v in variables:
        read.pop(v, None)


def _read_by(
    value: ir.Apply | ir.Operand, read: Mapping[ir.Operand, Places]
) -> Places | None:
    """The parameters that a value is computed of; None if of anything else."""
    if isinstance(value, ir.Const):
        return frozenset()
    if not isinstance(value, ir.Apply):
        return read.get(value)
    if isinstance(value.function, ir.Procedure) or not is_pure(value.function):
        return None
    found: Places = frozenset()
    for operand in (*value.args, *(operand for _, operand in value.keywords)):
        own = _read_by(operand, read)
        if own is None:
            return None
        found |= own
    return found


def _deciding_arguments(operation: ir.Apply) -> Iterator[ir.Operand]:
    """What a call gives for parameters that decide a branch of the program called."""
    details = getattr(operation.function, "details", None)
    if not isinstance(operation.function, ir.Procedure) or details is None:
        return
    passed = _parameters(details)
    names = {leaf.operand for place, leaf in passed if place in details.deciding}
    for parameter, operand in zip(details.parameters, operation.args, strict=False):
        if parameter.operand in names:
            yield operand
