"""Arrays in run-time values: where the program writes into some, each of them is a
reference, as the values are in which it stands.

Takes a function in which names hold arrays that may stand in lists, dicts and objects
which are kept; gives one in which these names are references to the arrays, what is
read of one is read as it is then, and what is written into one is an effect::

    w = read_attribute(layer, 'w')            w = read_attribute(layer, 'w')
    y = getitem(w, i)                         y = stored_part(w, i)
    w = stored(w, i, v, old)          ->      store_part(w, i, v)
    z = dot(w, x)                             now = stored_part(w, ...)
                                              z = dot(now, x)

So any names and slots may be one array, or views of one. An array that the program
makes is such a reference from there on where it may ever stand in a slot. What other
views give (``w.T``) is a value of its own, as long as nothing is written into arrays
before it is read."""

import operator
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Analysis, solve_forward
from s2sad.analysis.memory import points_to
from s2sad.analysis.memory.memory import SLOTS
from s2sad.analysis.passes.all_kinds import with_all_kinds
from s2sad.analysis.passes.purity import does, writes_arrays
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.argument_checks import behind_parts
from s2sad.ops.runtime import results, structures
from s2sad.rules.registry import rule_for
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES
from s2sad.transform.memory import array_heaps, plain_views, views
from s2sad.transform.run_time.module_arrays import with_module_arrays

WHOLE = ir.Const(Ellipsis)
_PARTS = (operator.getitem, np.reshape, np.ravel, np.squeeze)


def with_kept_arrays(
    function: ir.Function, spec: Specialiser, is_procedure: bool
) -> ir.Function:
    """The function with references to arrays that may stand in run-time values, where
    the program writes into such. What a procedure is given belongs to its caller."""
    if ops.WRITTEN_ARRAYS not in spec.facts.stored:
        return function
    plain = plain_views.with_plain_views(with_all_kinds(function), spec)
    memory = points_to.points_to(plain.function, apart=True, as_written=True)
    group = _group(plain.function, memory)
    held = with_module_arrays(plain.function, spec, _lists(group, memory.kinds))
    if held is not plain.function:
        function = replace(held, kinds=function.kinds)
        plain = plain_views.with_plain_views(with_all_kinds(function), spec)
        memory = points_to.points_to(plain.function, apart=True, as_written=True)
        group = _group(plain.function, memory)
    if not group:
        return function
    way: KeptArrays | None = None
    try:
        way = KeptArrays(plain, group, memory, spec)
        if is_procedure and not group.isdisjoint(function.parameters):
            raise array_heaps.NotFollowed
        found = way.function()
    except array_heaps.NotFollowed:
        line = None if way is None else way.at
        spec.report_at(_refusal(), spec.main_span if line is None else line.span)
        array_heaps.keep_instead(function, spec)
        spec.raise_problems()
        raise
    kinds = {n: k for n, k in function.kinds.items() if n not in way.renamed}
    temporaries = function.temporaries | spec.temporaries
    kinds |= way.renamed
    found = replace(found, kinds=kinds, temporaries=frozenset(temporaries))
    checks = plain_views.checks_of_layouts(plain, memory)
    return replace(found, body=behind_parts(found, checks))


def _group(function: ir.Function, memory: points_to.PointsTo) -> frozenset[str]:
    """The names of arrays, and of lists of arrays, that may stand in a slot."""
    anywhere = memory.anywhere
    references = {n for n, kind in memory.kinds.items() if ir.is_of_references(kind)}
    for s in ir.walk(function.body):
        if isinstance(s, ir.Save) and str(s.value) in references:
            references.add(s.stack.name)  # in a derivative inside
        elif isinstance(s, ir.Assign) and str(s.target) in references:
            if _is_empty_list(ir.kind_of(s.value, memory.kinds)):
                references.add(str(s.value))
    found: set[str] = set()
    buffers = {SLOTS}
    while True:
        more = {
            name
            for name, held in anywhere.buffers.items()
            if not held.isdisjoint(buffers) and name not in references
        }
        if more <= found:
            return frozenset(n for n in found if _may_be_array(memory.kinds.get(n)))
        found |= more
        buffers = buffers.union(*(anywhere.of(n) for n in more))


def _lists(group: frozenset[str], kinds: Mapping[str, ir.Kind]) -> frozenset[str]:
    return frozenset(n for n in group if isinstance(kinds.get(n), ir.List))


def _is_empty_list(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.List) and kind.item is None


def _may_be_array(kind: ir.Kind | None) -> bool:
    match kind:
        case ir.List():
            return kind.item is None or _may_be_array(kind.item)
        case ir.Structure():
            return any(map(_may_be_array, kind.items))
        case ir.Unknown(present=None):
            return not kind.inactive
    return not isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Known | ir.Reference)


def _computes(s: ir.Statement) -> bool:
    """True for a line that computes something of arrays, as None can't be."""
    return ir.is_line(s) and rule_for(s.value.function) is not None


def _refusal() -> core.Unsupported:
    return core.Unsupported(
        "this uses an array that may stand in an object or list which is given, in a "
        "program that writes into such arrays, in a way that isn't followed",
        "write into the array itself, or make a new one: `p.x = p.x + d` for "
        "`p.x += d`",
    )


class KeptArrays(array_heaps.ArrayHeap):
    """Writes the lines that work on references to arrays."""

    for_lists_alone = False

    def __init__(
        self,
        plain: plain_views.PlainViews,
        group: frozenset[str],
        memory: points_to.PointsTo,
        spec: Specialiser,
    ) -> None:
        kinds = plain.function.kinds
        super().__init__(plain, group, _lists(group, kinds), memory, spec)

    def _views(self, body: tuple[ir.Statement, ...]) -> frozenset[str]:
        """The names of values that show an array as it was."""
        found: set[str] = set()
        while True:
            more = {
                variable.name
                for s in body
                if not ops.is_write(s)
                for variable in ir.direct_writes(s)
                if variable.name in self.arrays - {*self.original.parameters}
                and not self._gives_reference(s, self.arrays - found)
            }
            if more <= found:
                return frozenset(found)
            found |= more

    def _gives_reference(self, s: ir.Statement, pointers: frozenset[str]) -> bool:
        """True for a line that gives an array another name, or a name to a part of it,
        for one that makes an array, and for None."""
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return False
        if isinstance(s.value, ir.Var):
            return s.value.name in pointers
        if s.value == ir.Const(None):
            return True
        if not isinstance(s.value, ir.Apply):
            return False
        return (
            s.value.function in ops.READS_OF_REFERENCES
            or self._is_item(s.value)
            or self._is_part_of(s, pointers)
            or self._allocates(s)
        )

    def _is_item(self, value: ir.Apply) -> bool:
        first = value.args[0] if value.args else None
        named = value.function is operator.getitem and isinstance(first, ir.Var)
        return named and first.name in self.lists  # type: ignore[union-attr]

    def _is_part_of(self, s: ir.Assign, pointers: frozenset[str]) -> bool:
        """True for a line that surely gives a part of an array, or all of it with other
        axes, that can be written into."""
        if not ir.applies(s) or id(s) in self.unsure or not s.value.args:
            return False
        function, first = s.value.function, s.value.args[0]
        known = isinstance(first, ir.Var) and first.name in pointers
        written = function in _PARTS or ops.rearranges(function)
        return known and written and views.is_view(s, self.kinds)

    def _item_kind(self) -> ir.Kind:
        return ir.UNKNOWN

    def _name(self) -> None:
        self.heap = ir.Var("")
        self.places = {}
        self.renamed: dict[str, ir.Kind] = {}
        """The kinds of what is a reference now."""
        given = {*self.original.parameters}
        for s in ir.walk(self.original.body):
            if id(s) in self.parts:
                given |= ir.names_written(s)
        for name in sorted(self.pointers):
            self.places[name] = self.spec.fresh(name) if name in given else ir.Var(name)
            if name not in given:
                self.renamed[name] = self._kind_of_place(self.kinds.get(name))
        self.lists_of_places = {name: ir.Var(name) for name in self.lists}
        for name in self.lists:
            self.renamed[name] = self._of_places(self.kinds[name])  # type: ignore[assignment]

    def _kind_of_place(self, array: ir.Kind | None) -> ir.Kind:
        held = ir.array_if_present(array)
        if not isinstance(held, ir.Array) or held.promoted or held.dtype is None:
            raise array_heaps.NotFollowed
        if np.dtype(held.dtype).kind not in "fiub":
            raise array_heaps.NotFollowed
        kind = ir.reference_to_array(held)
        return kind if held is array else ir.join(kind, ir.NONE)

    def function(self) -> ir.Function:
        copies = self._parameters(self._added)
        self._follow_views()
        self._check_values()
        body = ir.with_leaves(self.original.body, self.line)
        return replace(self.original, body=(*copies, *self._with_heads(body)))

    def _with_heads(self, block: ir.Block) -> ir.Block:
        """The block with the kinds that what is a reference now has where loops
        start."""
        lines: list[ir.Statement] = []
        for s in block:
            s = ir.with_blocks(s, self._with_heads)
            if isinstance(s, ir.Loop) and s.head_kinds:
                heads = {
                    name: self._of_places(kind) if name in self.renamed else kind
                    for name, kind in s.head_kinds.items()
                }
                s = replace(s, head_kinds=heads)  # type: ignore[arg-type]
            lines.append(s)
        return ir.as_block(lines, block)

    def _check_values(self) -> None:
        """Whatever shows an array as it was is read before anything is written."""
        facts = solve_forward(self.original.body, frozenset(), _Outdated(self.views))
        for s in ir.walk(self.original.body):
            self.at = s
            read = {v.name for v in ir.direct_reads(s)} & self.views
            outdated = facts.before.get(id(s)) or frozenset()
            if not read.isdisjoint(outdated):
                raise array_heaps.NotFollowed
            keeps = ops.is_write(s) and s.target.name in self.views
            for operation in ir.operations(s) if read else ():
                if operation.function in ops.KEEPS_OPERANDS:
                    keeps = True
            if keeps:
                raise array_heaps.NotFollowed

    def line(self, s: ir.Statement) -> ir.Block:
        touched = self._touched((*ir.direct_reads(s), *ir.direct_writes(s)))
        if not touched or isinstance(s, ir.COMPOUND):
            return (s,)
        self.at = s
        if ops.is_write(s) and s.target.name in self.pointers:
            for run in self.spec.eager_iteration:
                if not self.arrays.isdisjoint(run.arrays):
                    self.spec.report_at(run.problem(), run.span)
        for operation in ir.operations(s):
            if isinstance(operation.function, ir.Procedure):
                return self._call(s, operation)
        if isinstance(s, ir.Effect):
            return self._effect(s)
        return super().line(s)

    def _call(self, s: ir.Statement, call: ir.Apply) -> ir.Block:
        """A call that gets arrays by value: it neither writes into any, which may be
        these, nor keeps them."""
        procedure = call.function
        assert isinstance(procedure, ir.Procedure)
        if self._touched(ir.direct_writes(s)) or procedure.details is None:
            raise array_heaps.NotFollowed
        if writes_arrays(procedure) or does(procedure, ops.KEEPS_OPERANDS):
            raise array_heaps.NotFollowed
        return self._read(s)

    def _effect(self, s: ir.Effect) -> ir.Block:
        function = s.value.function
        if function is results.require_told_apart:
            return (s,)  # which is asked of what was given
        if function is structures.require_like:
            return ()  # an array has its adjoint with it, whatever its shape
        if ops.is_demand(s):
            array, value = (v.name for v in ir.direct_reads(s))
            if array in self.arrays and value in self.arrays:
                raise array_heaps.NotFollowed
            return ()
        if function in ops.KEEPS_WHAT_IS_STORED:
            value = ir.map_value(s.value, self._place_or_list)
            return (replace(s, value=value),)
        return self._read(s)

    # -------------------------------------------------------------- reading

    def _read(self, s: ir.Statement) -> ir.Block:
        value = getattr(s, "value", None)
        if isinstance(value, ir.Apply) and value.args:
            if value.function in (*SHAPE_QUERIES, len):
                if not self._asks_for_length(s):
                    return self._with_arrays(s)
            if value.function in ops.KEEPS_OPERANDS:
                made = ir.map_value(value, self._place_or_list)
                return (replace(s, value=made),)  # type: ignore[call-arg]
            if value.function in (operator.is_, operator.is_not):
                return self._compared(s)
            first = value.args[0]
            reads_part = value.function in (operator.getitem, ops.overwritten_part)
            if reads_part and isinstance(first, ir.Var) and first.name in self.pointers:
                others = ir.operand_variables(value.args[1])
                lines, renamed = self._looked_up(others, s.span)
                index = ir.map_operand(value.args[1], renamed)
                part = ir.Apply(ops.stored_part, (self.places[first.name], index))
                return *lines, replace(s, value=part)  # type: ignore[call-arg]
        return super()._read(s)

    def _compared(self, s: ir.Statement) -> ir.Block:
        """A line that asks whether two are the same."""
        value = ir.map_value(s.value, self._place_or_list)  # type: ignore[attr-defined]
        if not any(isinstance(operand, ir.Global) for operand in value.args):
            return (replace(s, value=value),)  # type: ignore[call-arg]
        held = sorted(value.args, key=lambda a: isinstance(a, ir.Global))
        same = ir.Apply(ops.is_module_array, tuple(held))
        if value.function is operator.is_:
            return (replace(s, value=same),)  # type: ignore[call-arg]
        lines = array_heaps.Lines(self.spec, s.span)
        found = lines.assign(self.spec.fresh("same"), same, ir.BOOL)
        other = ir.Apply(operator.not_, (found,))
        return *lines.lines, replace(s, value=other)  # type: ignore[call-arg]

    def _with_arrays(self, s: ir.Statement) -> ir.Block:
        """A line that asks for shapes and dtypes, which stay."""
        lines = array_heaps.Lines(self.spec, s.span)
        renamed: dict[str, ir.Var] = {}
        for name in self._touched(ir.direct_reads(s)):
            if name in self.lists:
                raise array_heaps.NotFollowed
            place, kind = self.places[name], self.kinds[name]
            wish = array_heaps.titled(name, "array")
            renamed[name] = lines.apply(wish, kind, ops.items_of, place)
        value = ir.map_value(s.value, lambda v: renamed.get(v.name, v))  # type: ignore[attr-defined]
        return *lines.lines, replace(s, value=value)  # type: ignore[call-arg]

    def _array(self, name: str, lines: array_heaps.Lines) -> ir.Var:
        wish, kind = array_heaps.titled(name, "now"), self.kinds[name]
        if ir.is_optional_array(kind):
            if self.at is None or not _computes(self.at):
                raise array_heaps.NotFollowed
            kind = ir.array_if_present(kind)  # None is told apart in front of that
        return lines.apply(wish, kind, ops.stored_part, self.places[name], WHOLE)

    def _gathered_item(
        self, name: str, places: ir.Var, k: ir.Var, lines: array_heaps.Lines
    ) -> ir.Var:
        kind, get = getattr(self.kinds[name], "item", None), operator.getitem
        place = lines.apply("place", self._kind_of_place(kind), get, places, k)
        return lines.apply("item", kind, ops.stored_part, place, WHOLE)

    # -------------------------------------------------------------- writing

    def _stored(self, s: ir.Line) -> ir.Block:
        if s.target.name not in self.pointers:  # an array of which nobody else knows
            return super()._stored(s)
        value, place = s.value, self.places[s.target.name]
        read = (v for operand in value.args[1:3] for v in ir.operand_variables(operand))
        ahead, renamed = self._looked_up(read, s.span)
        lines = array_heaps.Lines(self.spec, s.span)
        args = [ir.map_operand(operand, renamed) for operand in value.args[1:3]]
        function = value.function
        if not ops.is_augmented(s):
            index, amount = args
        elif function in (operator.iadd, operator.isub):
            index, amount = WHOLE, args[0]
            signs = {operator.iadd: ops.added_to, operator.isub: ops.subtracted_from}
            function = signs[function]
        else:
            index, amount = WHOLE, self._changed(s, args[0], lines)
            function = ops.stored
        self._check_kind(s, amount)
        if function is ops.stored:
            store = ir.Apply(ops.store_part, (place, index, amount))
        else:
            if function is ops.subtracted_from:
                amount = self._negative(amount, lines)
            store = ir.Apply(ops.increase_part, (place, index, amount))
        return *ahead, *lines.lines, ir.Effect(s.span, store)

    def _check_kind(self, s: ir.Line, amount: ir.Operand) -> None:
        """Whole numbers take no fractions."""
        own = ir.array_if_present(self.kinds[s.target.name])
        kind = ir.kind_of(amount, self.kinds)
        if isinstance(amount, ir.Const):
            kind = core.kind_of(core.constant(amount.value))
        if not ir.is_real_number_kind(own):
            if kind is None or ir.is_real_number_kind(kind):
                raise array_heaps.NotFollowed

    def _changed(
        self, s: ir.Line, other: ir.Operand, lines: array_heaps.Lines
    ) -> ir.Var:
        """What ``array *= v`` and the like store into all of the array."""
        own = ir.array_if_present(self.kinds[s.target.name])
        kind = ir.kind_of(other, self.kinds)
        assert isinstance(own, ir.Array)
        if kind is not None and not ir.covers(own, kind):
            raise array_heaps.NotFollowed
        if not isinstance(s.kind, ir.Array) or s.kind.dtype != own.dtype:
            raise array_heaps.NotFollowed
        array = self._array(s.target.name, lines)
        plain = ops.PLAIN[s.value.function]
        wish = array_heaps.titled(s.target.name, "new")
        return lines.apply(wish, s.kind, plain, array, other)

    def _negative(self, amount: ir.Operand, lines: array_heaps.Lines) -> ir.Operand:
        if isinstance(amount, ir.Const):
            return ir.Const(-amount.value)
        kind = ir.kind_of(amount, self.kinds)
        return lines.apply("negative", kind, operator.neg, amount)

    def _pointer(self, s: ir.Assign) -> ir.Block:
        name, value = s.target.name, s.value  # type: ignore[union-attr]
        place, kind = self.places[name], self._kind_of_place(self.kinds[name])
        of_slot = isinstance(value, ir.Apply) and (
            value.function in ops.READS_OF_REFERENCES
        )
        if of_slot or value == ir.Const(None):
            return (ir.Assign(s.span, place, value, kind),)
        if self._is_part_of(s, self.pointers):
            assert isinstance(value, ir.Apply)
            source, *given = value.args
            function = value.function
            if function is operator.getitem:
                function = ops.read_part
            args = (self.places[str(source)], *given)
            read = replace(value, function=function, args=args)
            return (ir.Assign(s.span, place, read, kind),)
        return super()._pointer(s)

    def _added(self, name: str, array: ir.Var, s: ir.Statement | None) -> ir.Block:
        made = ir.Apply(ops.kept_array, (array,))
        kind = self._kind_of_place(self.kinds[name])
        return (ir.Assign(s.span if s else None, self.places[name], made, kind),)

    def _copied(self, name: str, array: ir.Var, s: ir.Statement | None) -> ir.Block:
        return self._added(name, array, s)

    def _list(self, s: ir.Assign) -> ir.Block:
        value = s.value
        if isinstance(value, ir.Apply) and value.function in ops.READS_OF_REFERENCES:
            kind = self._of_places(s.kind or self.kinds[s.target.name])  # type: ignore[union-attr]
            return (replace(s, kind=kind),)
        return super()._list(s)


class _Outdated(Analysis[frozenset[str]]):
    """Which of some names show an array that may have been written into since."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def join(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return a | b

    def leaf(self, statement: ir.Statement, fact: frozenset[str]) -> frozenset[str]:
        writes = ops.is_write(statement) or any(
            writes_arrays(done)
            if isinstance(done, ir.Procedure)
            else done in (*ops.STORES_INTO_ARRAYS, ops.add_to_part)
            for done in (o.function for o in ir.operations(statement))
        )
        now = self.names if writes else fact
        return now - ir.names_written(statement)
