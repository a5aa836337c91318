"""``vars(x)`` and ``x.__dict__`` of objects: other names of their attributes.

The dict is never made: it is kept as the object it belongs to, so that it always holds
what the object does, and storing into it stores an attribute::

    self.__dict__.update(items)         self.a = items["a"]; self.b = items["b"]
    for name in vars(self):       ->    ...
        total += vars(self)[name]       total += self.a; total += self.b
"""

from __future__ import annotations

from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap.cells import check_may_change, read_name, set_name
from s2sad.frontend.specialise.objects.members import member_of
from s2sad.frontend.specialise.run_time import queries, storing, unions
from s2sad.ops.runtime.results import require_names


def attributes_of(value: core.Value, node: Any) -> core.Method:
    """``value.__dict__``."""
    if queries.is_reference(value):
        return _attributes_of_kept(value, node)
    cls: Any = getattr(value, "constructor", None)
    if not (core.is_object(value) or core.is_cell_of_object(value)) or not isinstance(
        cls, type
    ):
        raise core.Unsupported(
            node,
            f"the attributes of {core.describe(value)} as a dict",
            "name the attributes one by one",
        )
    _check_class(cls, node)
    return core.Method(value, core.DICT)


def _check_class(cls: Any, node: Any) -> None:
    found = {name for base in cls.__mro__ for name in vars(base)}
    cached = [m for m in (member_of(cls, n) for n in found) if m is not None]
    if "__slots__" in found or any(m.cached for m in cached):
        raise core.Unsupported(
            node,
            f"the attributes of a {cls.__name__} as a dict: its class has slots or "
            "cached properties",
            "name the attributes one by one",
        )


def _attributes_of_kept(value: core.Leaf, node: Any) -> core.Method:
    """The same of an object that is kept, of one class."""
    value = unions.present(value)
    kind = queries.kind_of(value)
    (form, *others) = kind.forms
    if others or form.optional or issubclass(form.constructor, ir.CONTAINERS):
        raise core.Unsupported(
            node,
            f"the attributes of a {kind} as a dict: not all have the same ones",
            "test which one it is, and name the attributes one by one",
        )
    _check_class(form.constructor, node)
    return core.Method(value, core.DICT)


@core.verb
def names_in(spec: Specialiser, dictionary: core.Method) -> tuple[str, ...]:
    """The names of the attributes that the object has now, in their order."""

    owner = dictionary.receiver
    keys: Any
    if queries.is_reference(owner):
        keys = queries.kind_of(owner).forms[0].keys
        check = ir.Apply(require_names, (owner.operand, ir.Const(keys)))
        spec.emit(ir.Effect(spec.span, check))
        return tuple(map(str, keys))
    if isinstance(owner, core.Cell):
        held: Any = None if owner.frame.place is None else spec.value_at(owner)
        keys = owner.frame.names if held is None else held.keys
    else:
        assert isinstance(owner, core.Aggregate)
        keys = owner.keys
    return tuple(name for name in keys if not name.startswith("."))


def read(
    spec: Specialiser, dictionary: core.Method, name: str, node: Any
) -> core.Value:
    """What the object holds under a name."""
    owner = dictionary.receiver
    found: core.Value | None
    if queries.is_reference(owner):
        form = queries.kind_of(owner).forms[0]
        if name not in form.keys:
            missing = f"a {form.constructor.__name__} has no attribute {name!r}"
            spec.raises(core.Unsupported(node, missing, ""), KeyError(name))
        return spec.attribute_of(owner, name, node)
    if isinstance(owner, core.Cell):
        found = read_name(spec, owner, name)
    else:
        assert isinstance(owner, core.Aggregate)
        found = owner.item(name)
    if found is None:
        raise core.Unsupported(
            node,
            f"{core.describe(owner)} has no attribute {name!r}",
            "check the spelling",
        )
    return spec.opened(found)


@core.verb
def attributes_now(
    spec: Specialiser, dictionary: core.Method, node: Any = None
) -> core.Aggregate:
    """A dict of its own with what the object holds now."""
    names = names_in(spec, dictionary)
    items = tuple(read(spec, dictionary, name, node) for name in names)
    return core.Aggregate(dict, names, items)


def known_name(key: core.Value, node: Any) -> str:
    """A key, which must be known."""
    name = (
        rules.static_value(core.kind_of(key))
        if rules.is_static(core.kind_of(key))
        else None
    )
    if not isinstance(name, str):
        raise core.Unsupported(
            node,
            "the name of an attribute must be known before the program runs",
            "use a literal as the name",
        )
    return name


def store(
    spec: Specialiser, dictionary: core.Method, name: str, value: core.Value, node: Any
) -> None:
    """``x.__dict__[name] = value``: no property or ``__setattr__`` is asked."""
    owner = dictionary.receiver
    if queries.is_reference(owner):
        return storing.store_attribute(spec, owner, name, value, node)
    set_name(spec, check_may_change(spec, dictionary.receiver, node), name, value)


def called(
    spec: Specialiser,
    dictionary: core.Method,
    method: str,
    args: Args,
    words: Words,
    node: Any,
) -> core.Value:
    """``x.__dict__.method(...)``."""

    if method in ("items", "values", "keys") and not args:
        return _run_over(spec, dictionary, method, node)
    if method in ("get", "copy"):
        now = attributes_now(spec, dictionary, node)
        return spec.call_method(core.Method(now, method), args, words, node)
    if method == "update" and len(args) <= 1:
        given: dict[str, core.Value] = {}
        for other in args:
            held = spec.contents(other)
            if not isinstance(held, core.Aggregate) or held.constructor is not dict:
                raise _refused(dictionary, method, node)
            keys = [known_name(core.constant(key), node) for key in held.keys]
            given.update(zip(keys, held.items, strict=True))
        for name, value in {**given, **words}.items():
            store(spec, dictionary, name, value, node)
        return core.constant(None)
    raise _refused(dictionary, method, node)


def _refused(dictionary: core.Method, method: str, node: Any) -> core.Unsupported:
    return core.Unsupported(
        node,
        f"the method {method!r} of the attributes of "
        f"{core.describe(dictionary.receiver)}",
        "name the attributes one by one",
    )


def _run_over(
    spec: Specialiser, dictionary: core.Method, what: str, node: Any
) -> core.Value:
    """What a loop over the dict sees: each value as it is when it is reached."""
    names = names_in(spec, dictionary)
    if what == "keys":
        return core.aggregate_of(tuple(map(core.constant, names)))

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        for name in names:

            def one(name: str = name) -> None:
                value = read(spec, dictionary, name, node)
                pair = core.aggregate_of((core.constant(name), value))
                body(pair if what == "items" else value)

            spec.unless_left(leave, one, node)

    return core.Lazy(f"{what}()", (), lambda spec, sources: core.Stream(run))
