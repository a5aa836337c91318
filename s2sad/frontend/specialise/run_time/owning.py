"""Lists and dicts that a program is given and whose structure it changes: it works on
such of its own, with the same items.

::

    while ps:                               ps = list(ps)
        p = ps.pop()            ->          while ps:
        ...                                     p = ps.pop()
                                                ...

That a list is changed so is found out where it is: the run is repeated with what is
known then (``containers/given_containers.py``). The list is one that the program makes,
which may be changed in any way; the objects in it are those that were given. The
caller's list stays as it was, and so does the structure of the gradient. Who else holds
the list is checked when the derivative runs (``heap/argument_cells.py``).
"""

from collections import deque
from collections.abc import Hashable, Mapping, Set
from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import derived_dicts
from s2sad.frontend.specialise.control import sorts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import queries

OWNED = (list, dict, deque)
"""The classes of which the program may hold its own in place of one that is given."""


def changed_class(value: core.Value) -> type | None:
    """The class of a list or dict that is kept, if the program may hold one of its own
    in its place; None for other values."""
    cls = queries.class_of_items(value)
    return cls if cls is list else None


def own(spec: Specialiser, value: core.Leaf) -> None:
    """Let it be known that the structure of a list or dict is changed which the program
    is given. Raises Learned, or Unsupported where it stands in something else."""
    own_if_argument(spec, value)
    raise core.Unsupported(
        f"a {value.kind} is changed, which stands in something that the program is "
        "given",
        "make a new one of its items, and change that",
    )


def own_if_argument(spec: Specialiser, value: core.Leaf) -> None:
    """The same of one that is an argument; nothing where it stands in something
    else."""
    given = _given(spec)
    found = {value.path} & given.keys()
    if not found:  # the path to it is lost: any of those that are of its form
        forms = set(queries.kind_of(value).forms)
        found = {path for path, kind in given.items() if forms & set(kind.forms)}
    if not found <= spec.facts.owned:
        _learn(spec, found, given)


def own_all(spec: Specialiser, cls: type) -> None:
    """The same of all lists that are given, or all dicts, where a name may hold one of
    them or one that the program makes; does nothing where that is known already."""
    given = _given(spec)
    found = {path for path, kind in given.items() if kind.constructor is cls}
    if not found <= spec.facts.owned:
        if not spec.has_learned:
            _learn(spec, found, given)
        raise core.Learned


def let_be_kept(
    spec: Specialiser,
    makers: Set[Hashable],
    form: ir.Form | None,
    cls: type = list,
    is_open: bool = False,
) -> None:
    """Where a list or dict can't be told from others before the program runs: let the
    expressions that may have made it make such as are kept, of a form that is given or
    of one of their own; ``is_open`` are dicts that get keys which only the run knows.
    Does nothing where that is done already, or an argument can be the program's own."""
    kept = spec.facts.kept
    new = makers - kept.keys()
    if not new or derived_dicts.base_of(cls) not in (*OWNED, set) or spec.derived:
        return
    own_sorts = {derived_dicts.form_made_by(spec, maker, cls).sort for maker in makers}
    if form is None:
        known = (own for maker, own in kept.items() if maker in makers)
        form = next(known, None)
        form = form or derived_dicts.form_made_by(spec, min(new, key=str), cls)
        form.is_open |= is_open and not form.is_record
    if own_sorts != {form.sort}:
        return  # a dict that makes what it lacks is no other's equal
    form = sorts.of_one_sort(form, (*queries.forms_made(spec), *kept.values()))
    given = _given(spec)
    if {path for path, kind in given.items() if form in kind.forms} <= spec.facts.owned:
        same = dict.fromkeys(sorted(new, key=str), form)
        spec.learn(replace(spec.facts, kept={**kept, **same}))
        raise core.Learned


def let_all_be_kept(spec: Specialiser, makers: Set[Hashable], cls: type) -> None:
    """The same of all that these expressions make, each of a form of its own."""
    new = makers - spec.facts.kept.keys()
    if new and not spec.derived:
        forms = {
            maker: derived_dicts.form_made_by(spec, maker, cls)
            for maker in sorted(new, key=str)
        }
        spec.learn(replace(spec.facts, kept={**spec.facts.kept, **forms}))
        raise core.Learned


def let_be_of_one_form(spec: Specialiser, makers: Set[Hashable], form: ir.Form) -> None:
    """The same of all that these expressions make, which are of one sort."""
    new = makers - spec.facts.kept.keys()
    known = (own for maker, own in spec.facts.kept.items() if maker in makers)
    form = next(known, None) or sorts.of_one_sort(form, queries.forms_made(spec))
    if new:
        kept = {**spec.facts.kept, **dict.fromkeys(sorted(new, key=str), form)}
        spec.learn(replace(spec.facts, kept=kept))
        raise core.Learned


def let_be_of_form(spec: Specialiser, made: Set[ir.Form], stands: Set[ir.Form]) -> None:
    """Where what some expressions make is put beside what is of another form of its
    class and sort: let them make such. Does nothing where none of the forms is one that
    the program makes, or what is made is of several."""
    alike = {(form.constructor, form.sort) for form in (*made, *stands)}
    kept = spec.facts.kept
    if len(alike) != 1 or len(stands) != 1 or not made <= set(kept.values()):
        return
    (form,) = stands
    same = {maker: form if own in made else own for maker, own in kept.items()}
    spec.learn(replace(spec.facts, kept=same))
    raise core.Learned


def _learn(
    spec: Specialiser, found: Set[Hashable], given: Mapping[Hashable, ir.Reference]
) -> None:
    facts = spec.facts
    for path in found:
        facts = facts.with_changing(given[path].constructor or list)
    spec.learn(replace(facts, owned=facts.owned | found))
    raise core.Learned


def _given(spec: Specialiser) -> dict[Hashable, ir.Reference]:
    """The lists and dicts among the arguments that may be the program's own."""
    return {
        leaf.path: queries.kind_of(leaf)
        for argument in spec.given.values()
        for leaf in core.leaves(argument)
        if changed_class(leaf) is not None and not queries.kind_of(leaf).may_be_none
        if not _holds_containers(queries.kind_of(leaf))
    }


def _holds_containers(kind: ir.Reference) -> bool:
    """True for what holds lists or dicts: such as the program makes may be put among
    them, where they stand."""
    held = ir.kind_of_slot(kind, ir.EACH)
    return isinstance(held, ir.Reference) and any(
        form.constructor in OWNED for form in held.forms
    )


def makes_container(value: core.Value) -> bool:
    """True for a list or dict that the program made."""
    if isinstance(value, core.Leaf):
        return isinstance(value.kind, ir.List)
    return getattr(value, "constructor", None) in OWNED


def moves(owner: core.Leaf, index: core.Value, value: core.Value) -> bool:
    """True where ``owner[index] = value`` puts other items into a list, in place of
    storing a number or array where one stands."""
    if changed_class(owner) is None:
        return False
    if core.is_slice(index):
        return True
    if makes_container(value):
        return False  # it is kept among those that are given
    kind = core.kind_of(value)
    return not isinstance(kind, ir.Numeric) or ir.is_promoted(kind)
