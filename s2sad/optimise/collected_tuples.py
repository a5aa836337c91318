"""Adjoints of a list of tuples that one loop gives, tuple by tuple.

::

    b = zeros_of_structure(ps)                      b = new_list()
    for k in reversed range(0, len(ps), 1):         for k in reversed range(...):
        ...                                             ...
        t = read_item(b, k)                  ->         t = make_object(tuple, u, v)
        add_to_item(t, 0, u)                            b = appended(b, t)
        add_to_item(t, 1, v)
    g = as_structure(ps, b)                         g = getitem(b, ::-1)

Tuples are values: what is added to one is added to no other. Where more is added behind
the loop, lists are collected, which become tuples at the end.
"""

import operator
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TypeGuard

from s2sad import ir, ops
from s2sad.ops.runtime.structures import as_structure, zeros_of_structure
from s2sad.optimise.collected_items import BACKWARDS, mentions


def with_collected_tuples(function: ir.Function) -> ir.Function:
    """The function with tuples that are collected, in place of zeros to which one loop
    adds."""
    if not any(ir.is_line(s, zeros_of_structure) for s in function.body):
        return function
    collected = _Collected(function)
    return collected.finished(collected.body())


class _Collected(ir.Rewriting):
    """Looks for such loops among the lines of a function, and rewrites them."""

    def body(self) -> ir.Block:
        lines = list(self.function.body)
        for zeros in self.function.body:
            if ir.is_line(zeros, zeros_of_structure):
                lines = self._collected(zeros, lines) or lines
        return ir.as_block(lines, self.function.body)

    def _collected(
        self, zeros: ir.Line, lines: list[ir.Statement]
    ) -> list[ir.Statement] | None:
        """The lines with tuples collected; None where more is done with them."""
        bars, (whole,) = zeros.target, zeros.value.args
        form = _form_of_tuples(ir.kind_of(whole, self.kinds))
        users = [s for s in lines if s is not zeros and mentions(s, bars.name)]
        loops = [s for s in users if isinstance(s, ir.For)]
        if form is None or len(loops) != 1 or users[-1] is loops[0]:
            return None
        (loop,), gradient = loops, users[-1]
        inside = self._inside(loop, bars, form)
        if inside is None or not self._runs_along(loop, whole):
            return None
        if not ir.is_line(gradient, as_structure) or not _is_last(gradient, lines):
            return None
        others = [s for s in users if s not in (loop, gradient)]
        if not all(self._waits(s, loop, bars, lines) for s in others):
            return None
        kind = self.kinds.get(gradient.target.name)
        turned = ir.Apply(operator.getitem, (bars, BACKWARDS))
        if not others:
            own = self.named(f"{bars.name}.turned", kind)
            gradient_lines = [
                ir.Assign(gradient.span, own, turned, kind, True),
                replace(gradient, value=own),
            ]
        else:
            gradient_lines = [gradient]
        self.kinds[bars.name] = self.kinds[bars.name] if others else ir.List(None)
        found: list[ir.Statement] = []
        for s in lines:
            if s is zeros:
                continue
            if s is loop:
                made = ir.Apply(ops.new_list, ())
                found.append(replace(zeros, value=made, kind=self.kinds[bars.name]))
                found.append(self._appending(loop, bars, inside, form, bool(others)))
                if others:
                    found.append(replace(zeros, value=turned))
                    found += [o for o in others if lines.index(o) < lines.index(loop)]
            elif s is gradient:
                found += gradient_lines
            elif s not in others or lines.index(s) > lines.index(loop):
                found.append(s)
        return found

    def _runs_along(self, loop: ir.For, whole: ir.Operand) -> bool:
        """True for a loop that surely has one turn for each item."""
        uses, stop = self.uses, loop.stop
        if loop.until is not None or loop.parallel or not loop.backwards:
            return False
        if (loop.start, loop.step) != (ir.Const(0), ir.Const(1)):
            return False
        if not isinstance(whole, ir.Var) or not isinstance(stop, ir.Var):
            return False
        if uses.writes[whole.name] > 1 or uses.writes[stop.name] != 1:
            return False
        given = getattr(uses.definitions[stop.name][0], "value", None)
        return bool(given == ir.Apply(len, (whole,)))

    def _inside(
        self, loop: ir.For, bars: ir.Var, form: ir.Form
    ) -> list[ir.Statement] | None:
        """The line of the loop that reads a tuple, and those that add to it; None where
        more is done."""
        users = [s for s in loop.body if mentions(s, bars.name)]
        if len(users) != 1 or loop.target.name in ir.names_written_in(loop.body):
            return None
        (read,) = users
        if not ir.is_line(read, ops.read_item) or read.value.args != (
            bars,
            loop.target,
        ):
            return None
        bar = read.target.name
        if self.uses.writes[bar] != 1:
            return None
        adds = [s for s in loop.body if s is not read and mentions(s, bar)]
        if self.uses.reads[bar] != len(adds):
            return None
        keys: list[Hashable] = []
        for s in adds:
            if not _adds(s):
                return None
            item, key, amount = s.value.args
            if item != read.target or not isinstance(key, ir.Const):
                return None
            if not self._is_a_number(amount) or key.value in keys:
                return None
            keys.append(key.value)
        # what was computed for one line may be another thing at the last
        added = (s.value.args[2] for s in filter(_adds, adds))
        amounts = {v.name for amount in added for v in ir.operand_variables(amount)}
        behind = loop.body[loop.body.index(adds[0]) :] if adds else ()
        if amounts & ir.names_written_in(behind):
            return None
        return [read, *adds] if set(keys) <= set(form.keys) else None

    def _is_a_number(self, amount: ir.Operand) -> bool:
        """True for what zero plus it is."""
        if isinstance(amount, ir.Const):
            return isinstance(amount.value, float)
        kind = ir.kind_of(amount, self.kinds)
        floats = isinstance(kind, ir.Scalar) and kind.type == "float"
        return floats or isinstance(kind, ir.NumPyScalar)

    def _waits(
        self,
        s: ir.Statement,
        loop: ir.For,
        bars: ir.Var,
        lines: Sequence[ir.Statement],
    ) -> bool:
        """True for a line that may as well stand behind the loop: it reads a tuple to
        which is added there."""
        if not ir.is_line(s, ops.read_item) or self.uses.writes[s.target.name] != 1:
            return False
        key = s.value.args[1]
        if s.value.args[0] != bars or not isinstance(key, ir.Const):
            return False
        users = [o for o in lines if o is not s and mentions(o, s.target.name)]
        start = lines.index(loop)
        return all(lines.index(o) > start and _adds(o) for o in users)

    def _appending(
        self,
        loop: ir.For,
        bars: ir.Var,
        inside: list[ir.Statement],
        form: ir.Form,
        lists: bool,
    ) -> ir.For:
        read, *adds = inside
        amounts = {s.value.args[1].value: s.value.args[2] for s in adds}  # type: ignore[attr-defined]
        values = [
            amounts.get(key, ir.Const(0.0 if _is_number(form.slots.get(key)) else None))
            for key in form.keys
        ]
        cls = ir.Const(list if lists else tuple)
        made = ir.Apply(ops.make_object, (cls, ir.Const(form.keys), *values))
        last = adds[-1] if adds else read
        item = self.fresh("row", self.kinds[read.target.name])  # type: ignore[attr-defined]
        lines: list[ir.Statement] = []
        for s in loop.body:
            if s is last:
                lines.append(ir.Assign(s.span, item, made, None, True))
                longer = ir.Apply(ops.appended, (bars, item))
                kind = self.kinds[bars.name]
                lines.append(ir.Assign(s.span, bars, longer, kind, True))
            elif s not in inside:
                lines.append(s)
        return replace(loop, body=tuple(lines))


def _form_of_tuples(kind: ir.Kind | None) -> ir.Form | None:
    """What the tuples in a list are, all of one form, of numbers and of what has no
    derivative."""
    if not isinstance(kind, ir.Reference) or len(kind.forms) != 1 or kind.may_be_none:
        return None
    (form,) = kind.forms
    item = form.slots.get(ir.EACH)
    if form.constructor is not list or not isinstance(item, ir.Reference):
        return None
    if len(item.forms) != 1 or item.may_be_none:
        return None
    (inner,) = item.forms
    plain = inner.constructor is tuple and not inner.is_uniform
    if not plain or any(ir.may_be_no_number(inner, key) for key in inner.keys):
        return None
    return inner if all(map(_is_plain, inner.slots.values())) else None


def _is_plain(kind: ir.Kind) -> bool:
    """True for a number, and for what has no derivative."""
    if isinstance(kind, ir.Unknown):
        return kind.present is None and not ir.is_real_number_kind(kind)
    return not isinstance(kind, ir.Reference | ir.Array)


def _adds(s: ir.Statement) -> TypeGuard[ir.Effect]:
    return isinstance(s, ir.Effect) and s.value.function is ops.add_to_item


def _is_number(kind: ir.Kind | None) -> bool:
    return kind is not None and ir.is_real_number_kind(kind)


def _is_last(s: ir.Statement, lines: Sequence[ir.Statement]) -> bool:
    """True for a line behind which nothing but gradients are made and returned."""
    behind = lines[lines.index(s) + 1 :]
    return all(isinstance(o, ir.Return) or ir.is_line(o, as_structure) for o in behind)
