"""Lists of which items come and go in front are deques: a list moves all others then.

::

    q = new_list()                        q = as_deque()
    q = appended(q, v)                    q = appended(q, v)
    x = getitem(q, 0)              ->     x = getitem(q, 0)
    q = without_item(q, 0)                q = without_first(q)

So it is with the list of the reverse sweep that gets back in front what the other one
lost there. Only lists of which nothing but the first and the last item is read or
changed, for any other takes a deque longer; what else is asked of it is its length, and
a list of its items where it is returned.
"""

import operator
from collections.abc import Iterable
from dataclasses import replace

from s2sad import ir, ops

_FIRST, _LAST = ir.Const(0), ir.Const(-1)
_ENDS = {
    operator.getitem: 1,
    ops.with_inserted_item: 1,
    ops.with_item_added: 1,
    ops.with_item_stored: 1,
    ops.without_item: 1,
}
"""What reads or changes one item, and which operand its place is."""
_WHOLE = (ops.appended, ops.extended)
_ASKS = (len, ops.zero_numbers, ops.own_copy, operator.not_, bool)


def with_deques(function: ir.Function) -> ir.Function:
    """The function with deques in place of such lists."""
    if not any(_is_in_front(s) for s in ir.walk(function.body)):
        return function
    names = _Groups(function).chosen()
    return _Deques(function, names).made() if names else function


def _is_in_front(s: ir.Statement) -> bool:
    """True for what takes or adds the first item of a list."""
    changes = ops.without_item, ops.with_inserted_item
    return ir.is_line(s, *changes) and s.value.args[1] == _FIRST


class _Groups:
    """The lists that share what they hold: all become deques, or none."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.parent = {
            name: name
            for name, kind in function.kinds.items()
            if isinstance(kind, ir.List) and kind.constructor is list
        }
        self.bad: set[str] = set()
        self.wanted: set[str] = set()

    def chosen(self) -> set[str]:
        """The names of those that become deques."""
        self._refuse(self.function.parameters)
        for s, path in ir.with_paths(self.function.body):
            if not self._is_known(s):
                touched = (*ir.direct_reads(s), *ir.direct_writes(s))
                self._refuse(v.name for v in touched)
            elif _is_in_front(s) and any(isinstance(one, ir.Loop) for one, _ in path):
                self.wanted.add(s.target.name)  # type: ignore[attr-defined]
        bad, wanted = set(map(self._root, self.bad)), set(map(self._root, self.wanted))
        return {n for n in self.parent if self._root(n) in wanted - bad}

    def _root(self, name: str) -> str:
        while self.parent[name] != name:
            name = self.parent[name]
        return name

    def _refuse(self, names: Iterable[str]) -> None:
        self.bad |= self.parent.keys() & set(names)

    def _is_known(self, s: ir.Statement) -> bool:
        """Whether nothing is done in a line but what deques can do."""
        if isinstance(s, ir.Return | ir.If | ir.While | ir.For):
            return True
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return False
        own, value = s.target.name, s.value
        if isinstance(value, ir.Var):
            if value.name in self.parent and own in self.parent:
                self.parent[self._root(own)] = self._root(value.name)
                return True
            return not self.parent.keys() & {own, value.name}
        if not isinstance(value, ir.Apply) or not value.args:
            return True
        function, (first, *others) = value.function, value.args
        self._refuse(v.name for o in others for v in ir.operand_variables(o))
        if not isinstance(first, ir.Var) or first.name not in self.parent:
            self._refuse(v.name for v in ir.operand_variables(first))
            return True
        if function in _ASKS:
            return True
        place = _ENDS.get(function)
        ends = (_FIRST,) if function is ops.with_inserted_item else (_FIRST, _LAST)
        if function not in _WHOLE and (place is None or value.args[place] not in ends):
            self._refuse((first.name,))
        elif function is not operator.getitem:
            if own not in self.parent:
                return False
            self.parent[self._root(own)] = self._root(first.name)
        return True


class _Deques(ir.Rewriting):
    """Writes the operations on deques."""

    def __init__(self, function: ir.Function, names: set[str]) -> None:
        super().__init__(function)
        self.names = names

    def made(self) -> ir.Function:
        return self.finished(ir.with_leaves(self.function.body, self._line))

    def _line(self, s: ir.Statement) -> ir.Block:
        if isinstance(s, ir.Return):
            return self._returned(s)
        if not isinstance(s, ir.Assign) or not isinstance(s.value, ir.Apply):
            return (s,)
        value = s.value
        if value.function is ops.own_copy:
            return (self._copied(s, value),)
        if str(s.target) not in self.names:
            return (s,)
        if value.function in (*_WHOLE, *_ENDS) and str(value.args[0]) in self.names:
            if not _is_in_front(s):
                return (s,)
            items, _, *item = value.args
            made = ir.Apply(ops.with_first, (items, *item))
            if value.function is ops.without_item:
                made = ir.Apply(ops.without_first, (items,))
            return (replace(s, value=made),)
        if value.function is ops.new_list:
            return (replace(s, value=ir.Apply(ops.as_deque, ())),)
        lines: list[ir.Statement] = []
        items = self.line(lines, value, s.kind, s.span, "items")
        return *lines, replace(s, value=ir.Apply(ops.as_deque, (items,)))

    def _copied(self, s: ir.Assign, value: ir.Apply) -> ir.Statement:
        """A list or deque that is made of another one."""
        (items,) = value.args
        deques = str(items) in self.names, str(s.target) in self.names
        if deques[0] == deques[1]:
            return s
        made = ops.as_deque if deques[1] else ops.as_list
        return replace(s, value=ir.Apply(made, (items,)))

    def _returned(self, s: ir.Return) -> ir.Block:
        lines: list[ir.Statement] = []

        def as_list(v: ir.Var) -> ir.Var:
            if v.name not in self.names:
                return v
            kind = self.kinds.get(v.name)
            return self.line(lines, ir.Apply(ops.as_list, (v,)), kind, s.span, "items")

        returned = ir.renamed((s,), as_list)
        return *lines, *returned
