"""``vars(x)`` and ``x.__dict__`` of objects: other names of their attributes.

The dict is never made: it is kept as the object it belongs to, so that it always holds
what the object does, and storing into it stores an attribute::

    self.__dict__.update(items)         self.a = items["a"]; self.b = items["b"]
    for name in vars(self):       ->    ...
        total += vars(self)[name]       total += self.a; total += self.b
"""

from __future__ import annotations

from typing import Any, TypeGuard

from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Cell,
    Method,
    Value,
    aggregate_of,
    constant,
    describe,
    is_cell_of_object,
    is_object,
    kind_of,
)

DICT = "__dict__"


def is_attributes(value: Value) -> TypeGuard[Method]:
    """True for the dict of an object's attributes."""
    if not isinstance(value, Method) or value.name != DICT:
        return False
    return isinstance(value.receiver, Cell | Aggregate)


def attributes_of(value: Value, node: Any) -> Method:
    """``value.__dict__``."""
    from s2sad.frontend.specialise.objects.members import member_of

    cls: Any = getattr(value, "constructor", None)
    if not (is_object(value) or is_cell_of_object(value)) or not isinstance(cls, type):
        raise Unsupported(
            node,
            f"the attributes of {describe(value)} as a dict",
            "name the attributes one by one",
        )
    found = {name for base in cls.__mro__ for name in vars(base)}
    cached = [m for m in (member_of(cls, n) for n in found) if m is not None]
    if "__slots__" in found or any(m.cached for m in cached):
        raise Unsupported(
            node,
            f"the attributes of {describe(value)} as a dict: its class has slots or "
            "cached properties",
            "name the attributes one by one",
        )
    return Method(value, DICT)


def names_in(spec: Any, dictionary: Method) -> tuple[str, ...]:
    """The names of the attributes that the object has now, in their order."""
    from s2sad.frontend.specialise.heap.places import value_at

    owner = dictionary.receiver
    keys: Any
    if isinstance(owner, Cell):
        at_place = owner.frame.place is not None
        keys = value_at(spec, owner).keys if at_place else owner.frame.names  # type: ignore[union-attr]
    else:
        assert isinstance(owner, Aggregate)
        keys = owner.keys
    return tuple(name for name in keys if not name.startswith("."))


def read(spec: Any, dictionary: Method, name: str, node: Any) -> Value:
    """What the object holds under a name."""
    from s2sad.frontend.specialise.heap.cells import read_name
    from s2sad.frontend.specialise.heap.references import opened

    owner = dictionary.receiver
    found: Value | None
    if isinstance(owner, Cell):
        found = read_name(spec, owner, name)
    else:
        assert isinstance(owner, Aggregate)
        found = owner.item(name)
    if found is None:
        raise Unsupported(
            node, f"{describe(owner)} has no attribute {name!r}", "check the spelling"
        )
    return opened(spec, found)


def attributes_now(spec: Any, dictionary: Method, node: Any = None) -> Aggregate:
    """A dict of its own with what the object holds now."""
    names = names_in(spec, dictionary)
    items = tuple(read(spec, dictionary, name, node) for name in names)
    return Aggregate(dict, names, items)


def known_name(key: Value, node: Any) -> str:
    """A key, which must be known."""
    from s2sad.rules.result_kinds import is_static, static_value

    name = static_value(kind_of(key)) if is_static(kind_of(key)) else None
    if not isinstance(name, str):
        raise Unsupported(
            node,
            "the name of an attribute must be known before the program runs",
            "use a literal as the name",
        )
    return name


def store(spec: Any, dictionary: Method, name: str, value: Value, node: Any) -> None:
    """``x.__dict__[name] = value``: no property or ``__setattr__`` is asked."""
    from s2sad.frontend.specialise.heap.cells import check_may_change, set_name

    set_name(spec, check_may_change(spec, dictionary.receiver, node), name, value)


def called(
    spec: Any,
    dictionary: Method,
    method: str,
    args: tuple[Value, ...],
    words: dict[str, Value],
    node: Any,
) -> Value:
    """``x.__dict__.method(...)``."""
    from s2sad.frontend.specialise.heap.cells import contents
    from s2sad.frontend.specialise.objects.methods import call_method

    if method in ("items", "values", "keys") and not args:
        return _run_over(spec, dictionary, method, node)
    if method in ("get", "copy"):
        now = attributes_now(spec, dictionary, node)
        return call_method(spec, Method(now, method), args, words, node)
    if method == "update" and len(args) <= 1:
        given: dict[str, Value] = {}
        for other in args:
            held = contents(spec, other)
            if not isinstance(held, Aggregate) or held.constructor is not dict:
                raise _refused(dictionary, method, node)
            keys = [known_name(constant(key), node) for key in held.keys]
            given.update(zip(keys, held.items, strict=True))
        for name, value in {**given, **words}.items():
            store(spec, dictionary, name, value, node)
        return constant(None)
    raise _refused(dictionary, method, node)


def _refused(dictionary: Method, method: str, node: Any) -> Unsupported:
    return Unsupported(
        node,
        f"the method {method!r} of the attributes of {describe(dictionary.receiver)}",
        "name the attributes one by one",
    )


def _run_over(spec: Any, dictionary: Method, what: str, node: Any) -> Value:
    """What a loop over the dict sees: each value as it is when it is reached."""
    from s2sad.frontend.specialise.core.values import Lazy
    from s2sad.frontend.specialise.iteration.iteration import (
        Body,
        Exit,
        Stream,
        unless_left,
    )

    names = names_in(spec, dictionary)
    if what == "keys":
        return aggregate_of(tuple(map(constant, names)))

    def run(body: Body, leave: Exit | None, known: bool) -> None:
        for name in names:

            def one(name: str = name) -> None:
                value = read(spec, dictionary, name, node)
                pair = aggregate_of((constant(name), value))
                body(pair if what == "items" else value)

            unless_left(spec, leave, one, node)

    return Lazy(f"{what}()", (), lambda spec, sources: Stream(run))
