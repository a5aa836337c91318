"""``vars(x)`` and ``x.__dict__`` of objects: other names of their attributes.

The dict is never made: it is kept as the object it belongs to, so that it always holds
what the object does, and storing into it stores an attribute::

    self.__dict__.update(items)         self.a = items["a"]; self.b = items["b"]
    for name in vars(self):       ->    ...
        total += vars(self)[name]       total += self.a; total += self.b
"""

from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap.cells import (
    check_may_change,
    names_now,
    read_name,
    set_name,
)
from s2sad.frontend.specialise.objects.members import member_of
from s2sad.frontend.specialise.run_time import queries, storing, unions
from s2sad.ops.runtime.results import require_names


def attributes_of(value: core.Value) -> core.Method:
    """``value.__dict__``."""
    if queries.is_reference(value):
        return _attributes_of_kept(value)
    cls: Any = getattr(value, "constructor", None)
    if not (core.is_object(value) or core.is_cell_of_object(value)) or not isinstance(
        cls, type
    ):
        raise core.Unsupported(
            f"the attributes of {core.describe(value)} as a dict",
            "name the attributes one by one",
        )
    _check_class(cls)
    return core.Method(value, core.DICT)


def _check_class(cls: Any) -> None:
    found = {name for base in cls.__mro__ for name in vars(base)}
    cached = [m for m in (member_of(cls, n) for n in found) if m is not None]
    if "__slots__" in found or any(m.cached for m in cached):
        raise core.Unsupported(
            f"the attributes of a {cls.__name__} as a dict: its class has slots or "
            "cached properties",
            "name the attributes one by one",
        )


def _attributes_of_kept(value: core.Leaf) -> core.Method:
    """The same of an object that is kept."""
    value = unions.present(value)
    for form in queries.kind_of(value).forms:
        unlike = form.optional or form.from_class
        if unlike or issubclass(form.constructor, ir.CONTAINERS):
            raise _not_alike(value)
        _check_class(form.constructor)
    return core.Method(value, core.DICT)


def _not_alike(value: core.Leaf) -> core.Unsupported:
    return core.Unsupported(
        f"the attributes of a {value.kind} as a dict: not all have the same ones",
        "test which one it is, and name the attributes one by one",
    )


def is_of_several(dictionary: core.Value) -> bool:
    """True for the attributes of an object that is kept, of one of several classes."""
    owner = dictionary.receiver if core.is_attributes(dictionary) else dictionary
    return queries.is_reference(owner) and len(queries.kind_of(owner).forms) > 1


@core.verb
def names_in(spec: Specialiser, dictionary: core.Method) -> tuple[str, ...]:
    """The names of the attributes that the object has now, in their order."""

    owner = dictionary.receiver
    keys: Any
    if queries.is_reference(owner):
        if is_of_several(dictionary):
            raise _not_alike(owner)
        keys = queries.kind_of(owner).forms[0].keys
        check = ir.Apply(require_names, (owner.operand, ir.Const(keys)))
        spec.emit(ir.Effect(spec.span, check))
        return tuple(map(str, keys))
    if isinstance(owner, core.Cell):
        held: Any = None if owner.frame.place is None else spec.value_at(owner)
        keys = names_now(spec, owner) if held is None else held.keys
    else:
        assert isinstance(owner, core.Aggregate)
        keys = owner.keys
    return tuple(name for name in keys if not name.startswith("."))


def read(spec: Specialiser, dictionary: core.Method, name: str) -> core.Value:
    """What the object holds under a name."""
    owner = dictionary.receiver
    found: core.Value | None
    if queries.is_reference(owner) and is_of_several(dictionary):

        def of_one(one: core.Leaf) -> core.Value:
            return read(spec, core.Method(one, core.DICT), name)

        return unions.by_form(spec, owner, of_one)
    if queries.is_reference(owner):
        form = queries.kind_of(owner).forms[0]
        if name not in form.keys:
            missing = f"a {form.constructor.__name__} has no attribute {name!r}"
            spec.raises(core.Unsupported(missing), KeyError(name))
        return spec.attribute_of(owner, name)
    if isinstance(owner, core.Cell):
        found = read_name(spec, owner, name)
    else:
        assert isinstance(owner, core.Aggregate)
        found = owner.item(name) if name in owner.keys else None
    if found is None:
        raise core.Unsupported(
            f"{core.describe(owner)} has no attribute {name!r}", "check the spelling"
        )
    return found


@core.verb
def attributes_now(spec: Specialiser, dictionary: core.Method) -> core.Aggregate:
    """A dict of its own with what the object holds now."""
    names = names_in(spec, dictionary)
    items = tuple(read(spec, dictionary, name) for name in names)
    return core.Aggregate(dict, names, items)


def known_name(key: core.Value) -> str:
    """A key, which must be known."""
    name = core.known_value(key) if core.is_known(key) else None
    if not isinstance(name, str):
        raise core.Unsupported(
            "the name of an attribute must be known before the program runs",
            "use a literal as the name",
        )
    return name


def store(
    spec: Specialiser, dictionary: core.Method, name: str, value: core.Value
) -> None:
    """``x.__dict__[name] = value``: no property or ``__setattr__`` is asked."""
    owner = dictionary.receiver
    if queries.is_reference(owner):
        return storing.store_attribute(spec, owner, name, value)
    set_name(spec, check_may_change(spec, dictionary.receiver), name, value)


def called(
    spec: Specialiser, dictionary: core.Method, method: str, args: Args, words: Words
) -> core.Value:
    """``x.__dict__.method(...)``."""

    if method in ("items", "values", "keys") and not args:
        return _view(spec, dictionary, method)
    if method == "get" and is_of_several(dictionary):
        owner: Any = dictionary.receiver

        def of_one(one: core.Leaf) -> core.Value:
            own = core.Method(core.Method(one, core.DICT), "get")
            return spec.call_method(own, args, words)

        return unions.by_form(spec, owner, of_one)
    if method in ("get", "copy"):
        now = attributes_now(spec, dictionary)
        return spec.call_method(core.Method(now, method), args, words)
    if method == "update" and len(args) <= 1:
        given: dict[str, core.Value] = {}
        for other in args:
            held = spec.contents(other)
            if not isinstance(held, core.Aggregate) or held.constructor is not dict:
                raise _refused(dictionary, method)
            keys = [known_name(core.constant(key)) for key in held.keys]
            given.update(zip(keys, held.items, strict=True))
        for name, value in {**given, **words}.items():
            store(spec, dictionary, name, value)
        return core.constant(None)
    raise _refused(dictionary, method)


def _refused(dictionary: core.Method, method: str) -> core.Unsupported:
    return core.Unsupported(
        f"the method {method!r} of the attributes of "
        f"{core.describe(dictionary.receiver)}",
        "name the attributes one by one",
    )


@core.verb
def has_name(
    spec: Specialiser, dictionary: core.Method, name: core.Value
) -> core.Value:
    """``name in vars(x)`` of an object of one of several classes."""
    owner: Any = dictionary.receiver
    known = known_name(name)
    there = tuple(f for f in queries.kind_of(owner).forms if known in f.keys)
    return unions.is_among(spec, owner, there)


def _view(spec: Specialiser, dictionary: core.Method, what: str) -> core.Value:
    if what == "keys" and not is_of_several(dictionary):
        return core.aggregate_of(tuple(map(core.constant, names_in(spec, dictionary))))
    items = run_over(spec, dictionary, what)
    return core.Lazy(f"{what}()", (), lambda spec, sources: items)


def run_over(spec: Specialiser, dictionary: core.Method, what: str) -> core.Stream:
    """What a loop over the dict sees: each value as it is when it is reached."""
    several = is_of_several(dictionary)
    names = () if several else names_in(spec, dictionary)

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        if several:
            if known:
                raise core.NotKnown
            return _of_each_class(body, leave)
        for name in names:

            def one(name: str = name) -> None:
                if what == "keys":
                    return body(core.constant(name))
                value = read(spec, dictionary, name)
                pair = core.aggregate_of((core.constant(name), value))
                body(pair if what == "items" else value)

            spec.unless_left(leave, one)

    def _of_each_class(body: core.Body, leave: core.Exit | None) -> None:
        def of_one(one: core.Leaf) -> core.Value:
            items = run_over(spec, core.Method(one, core.DICT), what)
            items.run(body, leave, False)
            return core.constant(None)

        owner: Any = dictionary.receiver
        unions.by_form(spec, owner, of_one)

    return core.Stream(run)
