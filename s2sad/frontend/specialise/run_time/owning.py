"""Lists that a program is given and whose structure it changes: it works on a list of
its own, with the same items.

::

    while ps:                               ps = list(ps)
        p = ps.pop()            ->          while ps:
        ...                                     p = ps.pop()
                                                ...

That a list is changed so is found out where it is: the run is repeated with what is
known then. The list is one that the program makes, which may be changed in any way; the
objects in it are those that were given. The caller's list stays as it was, and so does
the structure of the gradient. Who else holds the list is checked when the derivative
runs (``heap/argument_cells.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import by_value, queries

OWNED = (list,)
"""The classes of which the program may hold its own in place of one that is given."""


def changed_class(value: core.Value) -> type | None:
    """The class of a list that is kept, if the program may hold one of its own in its
    place; None for other values."""
    if not queries.is_reference(value):
        return None
    classes = {form.constructor for form in queries.kind_of(value).forms}
    uniform = all(form.is_uniform for form in queries.kind_of(value).forms)
    (cls,) = classes if len(classes) == 1 else (None,)
    return cls if uniform and cls in OWNED else None


def own(spec: Specialiser, value: core.Leaf, node: ast.AST | None) -> None:
    """Let it be known that the structure of a list is changed which the program is
    given. Raises Learned, or Unsupported where it stands in something else."""
    forms = set(queries.kind_of(value).forms)
    given = {
        leaf.path: leaf.kind
        for argument in spec.given.values()
        for leaf in core.leaves(argument)
        if changed_class(leaf) is not None
    }
    found = {value.path} & given.keys()
    if not found:  # the path to it is lost: any of those that are of its form
        found = {
            path
            for path, kind in given.items()
            if isinstance(kind, ir.Reference) and forms & set(kind.forms)
        }
    if not found - spec.facts.owned:
        raise core.Unsupported(
            node,
            f"a {value.kind} is changed, which stands in something that the program is "
            "given",
            "make a new list of its items, and change that",
        )
    spec.learn(
        replace(
            spec.facts.with_changing(list),
            owned=spec.facts.owned | found,
        )
    )
    raise core.Learned


def moves(spec: Specialiser, owner: core.Leaf, index: core.Value, value: core.Value):
    """True where ``owner[index] = value`` puts other items into a list, in place of
    storing a number or array where one stands."""
    if changed_class(owner) is None:
        return False
    if isinstance(index, core.Aggregate) and index.constructor is slice:
        return True
    kind = core.kind_of(value)
    return not isinstance(kind, ir.Numeric) or ir.is_promoted(kind)


def own_lists(
    spec: Specialiser, arguments: Mapping[str, core.Value]
) -> dict[str, core.Value]:
    """The arguments with lists of their own in place of those whose structure the
    program changes. Notes whose they are."""

    def owned(leaf: core.Leaf, path: object) -> core.Value:
        if leaf.path not in spec.facts.owned or not queries.is_reference(leaf):
            return leaf
        made = by_value.copied(spec, leaf, None)
        assert isinstance(made, core.Leaf)
        spec.holders[made.operand] = leaf.operand
        return made

    if not spec.facts.owned:
        return dict(arguments)
    return {name: core.map_leaves(v, owned) for name, v in arguments.items()}
