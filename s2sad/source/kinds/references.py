"""The forms of run-time values: what lists, dicts and objects of a call hold.

Takes the values that stand at one place of the arguments, all of them at once; gives
one kind for the place. Values are gone through column by column (all items of all
lists that stand at a place, one attribute of all objects of a class), so that much data
of one sort costs little more than a loop over it, and without recursion.

>>> str(kind_of_reference([(1.0, "first"), (2.0, "second")], "pairs"))
'list'
"""

import dataclasses
from collections import OrderedDict, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from types import NoneType
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.source.kinds import attributes, columns, families, foreign_classes, nodes
from s2sad.source.kinds.columns import LONGEST_RECORD
from s2sad.source.kinds.kinds_of_values import PYTHON_NUMBERS, kind_of_value

DICTS = (OrderedDict, defaultdict)
"""Classes of dicts that are kept as dicts are."""
MOST_TEXTS = 64
"""So many texts may tell what tuples hold."""
MOST_LOOKED_AT = 8
"""So many values at a place tell whether they are nodes of chains or trees."""
MOST_FUNCTIONS = 16
"""So many functions may stand in one slot."""


class NoForm(Exception):
    """What stands at a place can't be held by reference."""


@dataclasses.dataclass
class _Slot:
    """A place that values stand at."""

    form: ir.Form
    key: Hashable
    values: list[Any]


class Forms:
    """A table of forms, filled with the values of a call."""

    def __init__(self, expressions: bool = False) -> None:
        """With ``expressions`` all tuples that begin with texts are parts of one."""
        self._expressions = expressions
        self.of_classes: dict[type, ir.Form] = {}
        self.of_places: dict[Hashable, ir.Form] = {}
        self._of_nodes: dict[Hashable, ir.Form] = {}
        """Those of the nodes of chains and trees that are dicts or tuples, by their
        sorts."""
        self._around: dict[int, ir.Form] = {}
        """For each such form, and those of lists in them, the form of the nodes."""
        self._seen: dict[int, dict[int, Any]] = {}
        """What was gone through, by identity; values that are alive."""
        self._waiting: list[_Slot] = []
        self._told_by_texts = False
        self._nested = False
        """Whether all lists have one form, and all tuples of one sort."""

    def kind(self, value: Any, path: Hashable) -> ir.Kind:
        """The kind of a run-time value at a place of the arguments.

        Raises NoForm where it holds what can't be held so."""
        nested = nodes.is_nested(value)
        if nested or is_told_by_text(value):
            try:
                return _told_forms(nested, self._expressions)._kind_of_all(value, path)
            except NoForm:
                pass
        try:
            return self._kind_of_all(value, path)
        except NoForm:
            self._waiting.clear()
            try:
                return _told_forms(nested, self._expressions)._kind_of_all(value, path)
            except NoForm:
                pass
            raise

    def _kind_of_all(self, value: Any, path: Hashable) -> ir.Kind:
        root = ir.Form(object)
        self.of_places[id(root), path, None] = root  # stays alive
        self._waiting.append(_Slot(root, path, [value]))
        while self._waiting:
            slot = self._waiting.pop()
            self._fill(slot)
        families.close(root, self._expressions)
        return root.slots[path]

    def _fill(self, slot: _Slot) -> None:
        """Join the kinds of more values at a place with what is known of it."""
        form, key = slot.form, slot.key
        by_class: dict[type, list[Any]] = {}
        classes = set(map(type, slot.values))
        if len(classes) == 1:
            by_class[classes.pop()] = slot.values
        else:
            for value in slot.values:
                by_class.setdefault(type(value), []).append(value)
        kind = form.slots.get(key)
        known = form.types.get(key, frozenset())
        for cls, values in by_class.items():
            own = self._kind_of(cls, values, form, key)
            if kind is not None and kind != ir.NONE and own != ir.NONE:
                beside = isinstance(own, ir.Reference) != isinstance(kind, ir.Reference)
                # a name or a number, at the bottom of an expression
                unlike = families.is_told(form) and ir.join(kind, own) == ir.UNKNOWN
                if beside or unlike:
                    own, kind = _of_values({cls}, own), _of_values(known, kind)
            kind = own if kind is None else _joined(kind, own)
            known |= {cls}
        if kind is None:
            return
        if isinstance(kind, ir.Unknown) and not kind.inactive:
            if kind.present is None:
                raise NoForm(f"values of unlike sorts stand at {key!r}")
        form.slots[key] = kind
        form.types[key] = known

    def _kind_of(
        self, cls: type, values: Sequence[Any], holder: ir.Form, key: Hashable
    ) -> ir.Kind:
        """The kind of values of one class that stand at a place."""
        if cls in PYTHON_NUMBERS:
            return PYTHON_NUMBERS[cls]
        if cls is np.ndarray:
            return _kind_of_arrays(values)
        if cls is dict or cls in DICTS:
            return self._kind_of_dicts(cls, values, holder, key)
        if cls is tuple and self._told_by_texts:
            if _begins_with_text(values[0]):
                return self._kind_of_told_tuples(values, None)
            if self._nested:
                return self._kind_of_told_tuples(values, ("nested",))
            if len(set(map(len, values))) > 1:
                return self._kind_of_told_tuples(values, (id(holder), key))
        if cls in ir.CONTAINERS or attributes.names_items(cls):
            return self._kind_of_sequences(cls, values, holder, key)
        first = values[0]
        if attributes.is_users_class(cls) and not callable_alone(first):
            names = attributes.attributes_of(first)
            if names is not None:
                return self._kind_of_objects(cls, values)
        if foreign_classes.is_foreign(cls) or issubclass(cls, tuple):
            raise NoForm(f"a {cls.__name__} stands at {key!r}")
        kind = kind_of_value(first, key)
        if isinstance(kind, ir.Known):
            return _kind_of_known(kind, values, key)
        derived = isinstance(kind, ir.Scalar) and kind.cls is not None
        if derived or (
            ir.is_real_number_kind(kind) and not isinstance(kind, ir.Numeric)
        ):
            raise NoForm(f"a {cls.__name__} stands at {key!r}")
        return kind

    def _kind_of_objects(self, cls: type, values: Sequence[Any]) -> ir.Kind:
        form = self.of_classes.get(cls)
        if form is None:
            names = attributes.attributes_of(values[0]) or ()
            form = self.of_classes[cls] = ir.Form(cls, names)
        fresh = self._fresh(form, values)
        found = columns.columns_of(form, fresh)
        if found is None:
            raise NoForm(f"objects of {cls.__name__} have many different attributes")
        for name, column in found.items():
            self._waiting.append(_Slot(form, name, column))
        return ir.Reference((form,))

    def _kind_of_dicts(
        self, cls: type, values: Sequence[Any], holder: ir.Form, key: Hashable
    ) -> ir.Kind:
        """Dicts whose values are alike, or that have the same texts as keys."""
        place = (id(holder), key, cls)
        form = self._form_of_nodes(values, holder) or self.of_places.get(place)
        if form is None:
            names = columns.names_of_records(values)
            if names is None and cls is dict and columns.are_unlike(values):
                names = tuple(values[0])  # others may have others
            form = ir.Form(cls, (ir.EACH,) if names is None else names)
            self.of_places[place] = form
        fresh = self._fresh(form, values)
        if form.is_uniform:
            keys = [name for value in fresh for name in value]
            form.key = self._kind_of_keys(keys, form)
            items: list[Any] = [item for value in fresh for item in value.values()]
            self._waiting.append(_Slot(form, ir.EACH, items))
            return ir.Reference((form,))
        if not columns.note_names(form, fresh):
            raise NoForm(f"dicts of unlike keys stand at {key!r}")
        for name in form.keys:
            held = [value[name] for value in fresh if name in value]
            self._waiting.append(_Slot(form, name, held))
        return ir.Reference((form,))

    def _form_of_nodes(self, values: Sequence[Any], holder: ir.Form) -> ir.Form | None:
        """The form of the nodes of a chain or tree; None for other values."""
        for value in values[:MOST_LOOKED_AT]:
            sort = nodes.sort_of(value)
            led_on = sort is not None and self._nested
            if sort not in self._of_nodes and (led_on or nodes.is_node(value)):
                form = ir.Form(type(value), nodes.keys_of(value))
                self._of_nodes[sort] = self._around[id(form)] = form
            if sort in self._of_nodes:
                return self._of_nodes[sort]
        around = self._around.get(id(holder))
        if around is None or around.constructor is not dict:
            return None
        names = {name for value in values for name in value if type(value) is dict}
        last = type(values[0]) is dict and names <= set(around.keys)
        return around if last else None  # nodes that others lead to

    def _kind_of_keys(self, keys: list[Any], holder: ir.Form) -> ir.Kind:
        """The kind of a dict's keys: numbers, tuples, or anything."""
        kind = holder.key
        for cls in set(map(type, keys)):
            own = PYTHON_NUMBERS.get(cls, ir.OPAQUE)
            if (
                cls is tuple
                and len({len(key) for key in keys if type(key) is cls}) == 1
            ):
                own = self._kind_of_sequences(
                    cls, [key for key in keys if type(key) is cls], holder, "key"
                )
            kind = own if kind is None else ir.join(kind, own)
        return ir.OPAQUE if kind is None else kind

    def _kind_of_sequences(
        self, cls: type, values: Sequence[Any], holder: ir.Form, key: Hashable
    ) -> ir.Kind:
        record = cls not in ir.CONTAINERS or (
            cls is tuple
            and len(values[0]) <= LONGEST_RECORD
            and len(set(map(len, values))) == 1
        )
        keys: tuple[Hashable, ...] = (ir.EACH,)
        if record:
            keys = getattr(cls, "_fields", tuple(range(len(values[0]))))
        place = ("nested", cls) if self._nested else (id(holder), key, cls)
        form = self._form_of_nodes(values, holder) if record else None
        form = form or self.of_places.get(place)
        if form is None:
            form = self.of_places[place] = ir.Form(cls, keys)
            if id(holder) in self._around and not record:
                self._around[id(form)] = self._around[id(holder)]
        elif form.keys != keys:
            raise NoForm(f"tuples of unlike lengths stand at {key!r}")
        fresh = self._fresh(form, values)
        if record:
            self._add_records(form, fresh)
        else:
            items = [item for value in fresh for item in value]
            self._waiting.append(_Slot(form, ir.EACH, items))
        return ir.Reference((form,))

    def _kind_of_told_tuples(self, values: Sequence[Any], place: Any) -> ir.Kind:
        """Tuples of which the first item, a text, and the number of items say what else
        they hold: one form for each, wherever they stand; or, at one ``place``, the
        number of items alone."""
        found: dict[tuple[Any, int], list[Any]] = {}
        for value in values:
            by_text = _begins_with_text(value) and place is None
            text = value[0] if by_text else None
            found.setdefault((text, len(value)), []).append(value)
        forms = []
        for (text, length), alike in found.items():
            if length > LONGEST_RECORD or (text is None) == (place is None):
                raise NoForm("a tuple doesn't begin with a text")
            told = (text, length) if place is None else (*place, length)
            form = self.of_places.get(told)
            if form is None:
                form = self.of_places[told] = ir.Form(tuple, tuple(range(length)))
                if place is None:
                    form.slots[0], form.types[0] = ir.Known(text), frozenset({str})
            if len(self.of_places) > MOST_TEXTS:
                raise NoForm("too many texts stand at the beginning of tuples")
            forms.append(form)
            self._add_records(form, self._fresh(form, alike), int(place is None))
        return ir.Reference(tuple(forms))

    def _add_records(
        self, form: ir.Form, values: Sequence[Any], first: int = 0
    ) -> None:
        for place, name in enumerate(form.keys):
            if place >= first:
                column = [value[place] for value in values]
                self._waiting.append(_Slot(form, name, column))

    def _fresh(self, form: ir.Form, values: Iterable[Any]) -> list[Any]:
        """Those that weren't gone through yet as values of a form: one list may stand
        at several places, each of which has a form."""
        seen = self._seen.setdefault(id(form), {})
        fresh = []
        for value in values:
            if id(value) not in seen:
                seen[id(value)] = value
                fresh.append(value)
        return fresh


def _told_forms(nested: bool, expressions: bool) -> Forms:
    """A table of forms in which texts and lengths tell what tuples hold."""
    forms = Forms(expressions)
    forms._told_by_texts, forms._nested = True, nested
    return forms


def _of_values(classes: Iterable[type], kind: ir.Kind) -> ir.Kind:
    """The kind of numbers, arrays and texts where other values of the place are
    references."""
    if isinstance(kind, ir.Reference):
        return kind
    forms = []
    for cls in classes:
        if cls is NoneType:
            continue
        own = PYTHON_NUMBERS.get(cls, kind)
        if issubclass(cls, np.generic):
            own = ir.NumPyScalar(np.dtype(cls).name)
        if not (cls in (str, np.ndarray) or isinstance(own, ir.Numeric)):
            return ir.UNKNOWN
        forms.append(ir.form_of_value(cls, own))
    return ir.Reference(tuple(forms), may_be_none=NoneType in classes)


def _kind_of_known(kind: ir.Known, values: Sequence[Any], key: Hashable) -> ir.Kind:
    """The kind of None, texts, functions and the like that stand at a place."""
    if kind == ir.NONE:
        return kind
    if not callable(values[0]):
        return ir.OPAQUE
    if all(ir.Known(value) == kind for value in values):
        return kind
    functions = list({id(value): value for value in values}.values())
    if len(functions) > MOST_FUNCTIONS:
        raise NoForm(f"many different functions stand at {key!r}")
    return ir.OneOf(values=tuple(functions))


def _joined(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    """The kind of a slot that holds one or the other; different functions are told
    apart."""
    if isinstance(a, ir.Known) and isinstance(b, ir.Known) and a != b:
        if callable(a.value) and callable(b.value):
            return ir.OneOf(values=(a.value, b.value))
    return ir.join(a, b)


def _begins_with_text(value: Any) -> bool:
    return len(value) > 0 and type(value[0]) is str


def is_told_by_text(value: Any) -> bool:
    """True for a tuple that begins with a text and holds another one of those: an
    expression, say. Looked for in lists and dicts, too."""
    waiting, seen = [value], 0
    while waiting and seen < 1000:
        holder = waiting.pop()
        seen += 1
        if isinstance(holder, dict):
            waiting += list(dict.values(holder))[:8]  # and not by code of the user's
        elif isinstance(holder, list):
            waiting += list.__getitem__(holder, slice(8))
        elif type(holder) is tuple and holder:
            inner = [item for item in holder if type(item) is tuple and item]
            if type(holder[0]) is str and any(map(_begins_with_text, inner)):
                return True
            waiting += inner
    return False


def callable_alone(value: Any) -> bool:
    """True for functions in disguise."""
    return isinstance(getattr(value, "__wrapped__", None), type(callable_alone))


def _kind_of_arrays(values: Sequence[Any]) -> ir.Kind:
    told = {(v.dtype, tuple(map(_sort_of_length, v.shape))) for v in values}
    kind: ir.Kind | None = None
    for dtype, lengths in told:
        if dtype.names is not None or dtype.kind == "O":
            raise NoForm("an array of records or objects")
        own = ir.Array(dtype.name, tuple(ir.Axis(length) for length in lengths))
        kind = own if kind is None else ir.join(kind, own)
    assert isinstance(kind, ir.Array)
    if kind.axes is None:
        raise NoForm("arrays of unlike ranks")
    return dataclasses.replace(kind, axes=tuple(ir.Axis(a.length) for a in kind.axes))


def _sort_of_length(length: int) -> str:
    return "one" if length == 1 else "many"


def kind_of_reference(value: Any, path: Hashable) -> ir.Kind:
    """The kind of a list, dict or object that is held at run time, by itself."""
    return Forms().kind(value, path)
