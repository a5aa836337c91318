"""Objects that only the run can tell apart: those of their class are kept as they
are (``run_time/making.py``)."""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import derived_dicts, run_time_sets
from s2sad.frontend.specialise.control import sorts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import owning, queries
from s2sad.source.annotations.annotation_nodes import class_meant
from s2sad.source.static.values import StaticClass

MOST_NESTED = 64
"""So many values may stand in what grows from one iteration to the next."""


@core.verb
def keep_objects(spec: Specialiser, value: Any, surely: bool = False) -> None:
    """Where an object can't be followed as a cell: specialise the program again, with
    the objects of its class kept as they are. Does nothing for what isn't such a cell.
    In a run that learned facts names may hold two cells for one object: they count only
    if it is ``surely`` so, whatever names hold."""
    if isinstance(value, core.Missing):
        if value.keeps is not None:
            owning.let_be_kept(spec, *value.keeps)
        if value.cls in owning.OWNED:
            spec.differ.add(value.cls)
        value = value.cls
    cls: Any = value if isinstance(value, type | StaticClass) else class_in(value)
    if derived_dicts.base_of(cls) in (*owning.OWNED, set) and not spec.derived:
        owning.own_all(spec, cls)
        if isinstance(value, core.Cell) and value.frame.place is None:
            owning.let_be_kept(spec, value.frame.makers, None, cls)
        else:  # it stands in a list of unknown length, or such are copied
            owning.let_all_be_kept(spec, spec.put_into_lists.get(cls, set()), cls)
    if spec.derived:
        return
    if queries.class_of_kept(cls) in spec.facts.made:
        if isinstance(value, core.Cell):
            queries.let_be_made_empty(spec, cls)  # its __init__ is under way
        return
    only_read = isinstance(class_meant(cls), StaticClass)
    if core.is_plain_class(cls) or only_read or queries.may_be_kept(spec, cls):
        if surely or not spec.has_learned:
            queries.let_be_kept(spec, cls)
        raise core.Learned


@core.verb
def keep_nested(spec: Specialiser, before: core.Value, after: core.Value) -> None:
    """Where what an expression made is put into another that it makes, ever deeper,
    from one iteration or call to the next: keep all that are of its sort. So with an
    object in another of its class."""
    if core.size_of(after) <= core.size_of(before) or spec.derived:
        return
    nested = _nested_in_its_own(after, ())
    if nested is None:
        return
    if core.is_object(nested):
        return keep_objects(spec, nested)
    alike = {inner.maker for inner in _of_sort(after, nested)} - {None}
    sort = sorts.sort_of_made(nested)
    form = ir.Form(nested.constructor, nested.keys)
    owning.let_be_of_one_form(spec, alike, sorts.form_of_sort(sort) if sort else form)
    if core.size_of(after) > MOST_NESTED:
        raise core.Unsupported(
            f"{core.describe(nested)} is put into another one that the same expression "
            "makes, and so on, and what it holds can't be kept as it is",
            "use an object with attributes in its place, or a tuple or dict of which "
            "each item is of one sort",
        )


@core.verb
def keep_alike(spec: Specialiser, *values: core.Value) -> None:
    """Where tuples of one class and length that hold unlike things stand in one list,
    as leaves of a tree and its other nodes do: keep all of them, in one form. A list
    stands for its items."""
    met: set[sorts.Sort | None] = set()
    makers: set[Hashable] = set()
    forms: list[ir.Form] = []
    for value in values:
        kind = core.kind_of(value)
        kind = kind.item or kind if isinstance(kind, ir.List) else kind
        if isinstance(kind, ir.Reference):
            forms += kind.forms
        else:
            met.add(sorts.sort_of_made(value))
            makers.add(getattr(value, "maker", None))
    met |= set(map(sorts.sort_of_form, forms))
    sort = met.pop() if len(met) == 1 else None
    if sort is None or not makers or None in makers or spec.derived:
        return
    form = forms[0] if forms else sorts.form_of_sort(sort)
    owning.let_be_of_one_form(spec, makers, form)


def _nested_in_its_own(
    value: core.Value, around: tuple[Hashable, ...]
) -> core.Aggregate | None:
    """A structure that stands in another one which the same expression made, or an
    object that stands in one of its class which stands in a third."""
    if isinstance(value, core.Aggregate):
        maker = value.constructor if core.is_object(value) else value.maker
        if around.count(maker) > core.is_object(value):
            return value
        around = (*around, maker) if maker is not None else around
    found = (_nested_in_its_own(part, around) for _, part in core.parts_of(value))
    return next((inner for inner in found if inner is not None), None)


def _of_sort(value: core.Value, sort: core.Aggregate) -> Iterator[core.Aggregate]:
    if isinstance(value, core.Aggregate):
        if value.constructor is sort.constructor and value.keys == sort.keys:
            if sorts.sort_of_made(value) == sorts.sort_of_made(sort):
                yield value
    for _, part in core.parts_of(value):
        yield from _of_sort(part, sort)


def makers_to_keep(spec: Specialiser) -> dict[Hashable, ir.Form]:
    """Of the expressions that made lists and dicts by value: those of lists of numbers
    and the like; the others, once these are kept; and what is given at last, since that
    is copied."""
    new = {m: cell for m, cell in spec.makers.items() if m not in spec.known.kept}
    made = {m: c for m, c in new.items() if not _is_argument(m)}
    new = made or new
    inner = {m: cell for m, cell in new.items() if not _holds_containers(cell)}
    forms = derived_dicts.form_made_by
    return {m: forms(spec, m, c.constructor) for m, c in (inner or new).items()}


def makers_of_argument(title: str) -> frozenset[Hashable]:
    """What stands for the expression that made a list or dict which is given."""
    return frozenset({("argument", title)})


def _is_argument(maker: Hashable) -> bool:
    return isinstance(maker, tuple) and maker[0] == "argument"


def _holds_containers(cell: core.Cell) -> bool:
    parts = list(cell.frame.names.values())
    for value in parts:
        if isinstance(value, core.Cell):
            return True
        kind = value.kind if isinstance(value, core.Leaf) else None
        if isinstance(kind, ir.List) and isinstance(kind.item, ir.List):
            return True
        parts += [part for _, part in core.parts_of(value)]
    return False


def keep_one_of(spec: Specialiser, values: Iterable[core.Value]) -> None:
    """The same for the first object, list, dict or tuple that may be kept, among values
    and what is in them."""
    for value in values:
        if core.is_object(value) or isinstance(value, core.Cell | core.Missing):
            keep_objects(spec, value)
        by_value = value.constructor if isinstance(value, core.Aggregate) else None
        if by_value in (list, dict) and by_value not in spec.facts.changing:
            spec.learn_changing(by_value)  # what stands by value can't be kept
        sort = sorts.sort_of_made(value)
        if sort is not None and value.maker is not None:  # type: ignore[union-attr]
            makers = frozenset({value.maker})  # type: ignore[union-attr]
            owning.let_be_kept(spec, makers, sorts.form_of_sort(sort))
        keep_one_of(spec, (part for _, part in core.parts_of(value)))


@core.verb
@contextmanager
def kept_if_refused(spec: Specialiser, *values: core.Value | None) -> Iterator[None]:
    """Where an object among the values can't be held as what it is, keep the objects
    of its class."""
    try:
        yield
    except core.Unsupported:
        keep_one_of(spec, (v for v in values if v is not None))
        raise


def kept_while_made(draft: core.Value) -> tuple[str, str]:
    """Why an object can't be used under a name that it was given while it was made: the
    run makes it behind that, at once."""
    return (
        f"{core.describe(draft)} that only the run can tell from others is put "
        "somewhere by its own __init__",
        "put it there behind the call that makes it",
    )


def class_in(value: core.Value) -> Any:
    """The class of a list, dict or object; None for other values."""
    if isinstance(value, core.Cell):
        return class_meant(value.constructor)
    if isinstance(value, core.Leaf):
        if run_time_sets.is_of_the_run(value):
            return run_time_sets.class_of(value)
        is_list = isinstance(value.kind, ir.List) and value.kind.constructor is list
        return list if is_list else None
    if isinstance(value, core.Part):
        return value.constructor
    if isinstance(value, core.Aggregate):
        return _CLASSES.get(value.constructor, value.constructor)
    return None


_CLASSES: dict[Any, Any] = {core.Rows: list, core.Partly: dict}
