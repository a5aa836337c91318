"""``grad(f, wrt="h")`` of a local variable ``h``: the value that it is assigned.

Takes the body of the whole function; gives one in which a marked statement follows the
assignment. It binds the name to the same value, through the operation ``retained``, by
which the adjoint is found::

    h = np.tanh(x @ w)        ->        h = np.tanh(x @ w)
                                        h = retained(h, "h")

The name must be assigned once in the text, at the top level of the function: then it
means one value in each call.
"""

import ast
from collections.abc import Iterable
from typing import Any

from s2sad import errors, ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.rules.steps.stopped import retained
from s2sad.source.text import scopes, source_function


class Retain(ast.stmt):
    """Behind the assignment of a name: its adjoint is asked for."""

    _fields = ("target",)
    target: str


def check_locals(source: source_function.SourceFunction, names: Iterable[str]) -> None:
    """Raise ArgumentError for local variables that don't mean one value in a call."""
    for name in names:
        body: Any = source.node.body
        count = sum([_bindings(node, name) for node in body])
        top = [node for node in body if _assigns(node, name)]
        if count == 1 and len(top) == 1:
            continue
        why = "is assigned more than once"
        if count < 2:
            why = "isn't assigned by a statement of its own outside of loops, branches "
            why += "and other blocks"
        raise errors.ArgumentError(
            f"{source.name} can't be differentiated with respect to its local variable "
            f"{name}, which {why}: give the value a name of its own there, name = ..."
        )


def with_retained(body: list[ast.stmt], names: Iterable[str]) -> list[ast.stmt]:
    """The body with marks behind the assignments of some names."""
    found: list[ast.stmt] = []
    for node in body:
        found.append(node)
        for name in names:
            if _assigns(node, name):
                mark = Retain()
                mark.target = name
                found.append(ast.copy_location(mark, node))
    return found


def _assigns(node: ast.AST, name: str) -> bool:
    """True for ``name = value`` and ``name: kind = value``."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        (target,) = node.targets
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target = node.target
    else:
        return False
    return isinstance(target, ast.Name) and target.id == name


def _bindings(node: ast.AST, name: str) -> int:
    """How often a name is bound in the text of a statement, wherever."""
    stored = (
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in ast.walk(node)
    )
    count = sum(stored)
    return count or int(name in scopes.assigned_names([node]))


@core.statement(Retain)
def retain(spec: Specialiser, node: Retain) -> None:
    value = spec.frame.names[node.target]
    if not isinstance(value, core.Leaf | core.Aggregate):
        raise core.Unsupported(
            f"the adjoint of {node.target} is asked for, which is "
            f"{core.describe(value)}",
            "ask for that of a number, an array or a structure of them",
        )
    place = 0

    def kept(leaf: core.Leaf) -> core.Leaf:
        nonlocal place
        if not _may_vary(leaf):
            return leaf
        place += 1
        marked = (leaf.operand, ir.Const(node.target), ir.Const(place))
        mark = ir.Apply(retained, marked)
        return spec.assign(spec.fresh(node.target), mark, leaf.kind)

    value = core.map_leaves(value, kept)
    if not place:
        raise core.Unsupported(
            f"the adjoint of {node.target} is asked for, which holds no number or "
            "array that depends on the arguments"
        )
    spec.bind(node.target, value)
    spec.retained[node.target] = spec.frame.names[node.target]


def arguments_with_locals(specialised: Any, function: Any, names: Iterable[str]) -> Any:
    """The values of the arguments, and those of local variables as the function holds
    them after renaming."""

    places: dict[tuple[str, int], ir.Var] = {}
    for s in function.body:
        if isinstance(s, ir.Assign) and is_retained(s.value):
            places[s.value.args[1].value, s.value.args[2].value] = s.target  # type: ignore
    found = dict(specialised.arguments)
    for name in names:
        value = specialised.specialiser.retained.get(name)
        place = 0

        def renamed(leaf: core.Leaf, name: str = name) -> core.Leaf:
            nonlocal place
            if not _may_vary(leaf):
                return leaf
            place += 1
            variable = places.get((name, place))
            if variable is None:
                raise _without_influence(function.name, name)
            return core.Leaf(variable, leaf.kind)

        if value is None:
            raise _without_influence(function.name, name)
        found[name] = core.map_leaves(value, renamed)
    return found


def _may_vary(leaf: core.Leaf) -> bool:
    return isinstance(leaf.operand, ir.Var) and ir.is_real_number_kind(leaf.kind)


def _without_influence(function: str, name: str) -> errors.ArgumentError:
    return errors.ArgumentError(
        f"{function} can't be differentiated with respect to its local variable "
        f"{name}: the result doesn't depend on it, or it isn't assigned on every path"
    )


def is_retained(value: Any) -> bool:
    """True for the operation behind which an adjoint is asked for."""
    return isinstance(value, ir.Apply) and value.function is retained
