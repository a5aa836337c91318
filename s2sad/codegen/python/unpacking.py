"""Tuples of which a text reads every item by a name, and arrays whose length is
checked for it: they are unpacked.

::

    pair = read_item(pairs, k)
    i = read_item(pair, 0)          ->          (i, j) = read_item(pairs, k)
    j = read_item(pair, 1)

    n = len(state)
    if n != 2: raise ValueError
    x = getitem(state, 0)           ->          (x, y) = state
    y = getitem(state, 1)
"""

import operator
from collections import Counter

from s2sad import ir, ops


def with_unpacking(function: ir.Function, *, of_arrays: bool = True) -> ir.Function:
    """The function with such lines as one; the same one where there are none."""
    if of_arrays:
        function = _with_arrays_unpacked(function)
    read_items = any(
        a.function is ops.read_item
        for s in ir.walk(function.body)
        for a in ir.operations(s)
    )
    if read_items:
        function = _with_tuples_unpacked(function)
    return _without_holders(function)


def _with_tuples_unpacked(function: ir.Function) -> ir.Function:
    def change(block: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        taken: set[int] = set()
        for place, s in enumerate(block):
            if place in taken:
                continue
            lines = _items_read_from(block, place, function)
            if not lines:
                result.append(ir.with_blocks(s, change))
                continue
            taken |= set(lines.values())
            targets = [block[at].target for at in lines.values()]  # type: ignore[attr-defined]
            target = ir.Pack(tuple, tuple(lines), tuple(targets))
            holder = _holder(s, function)
            result.append(ir.altered(s, target=target, value=holder, kind=None))
        return ir.as_block(result, block)

    return ir.altered(function, body=change(function.body))


def _without_holders(function: ir.Function) -> ir.Function:
    """The function with what is only unpacked where it was made unpacked there."""
    reads = Counter(v.name for s in ir.walk(function.body) for v in ir.direct_reads(s))
    alone = {name for name in function.temporaries if reads[name] == 1}

    def change(block: ir.Block) -> ir.Block:
        lines: list[ir.Statement] = []
        for s in block:
            place = _line_that_makes(s, lines, alone)
            if place is None:
                lines.append(ir.with_blocks(s, change))
            else:
                made = lines[place].value  # type: ignore[attr-defined]
                lines[place] = ir.altered(s, value=made)
        return ir.as_block(lines, block)

    return ir.altered(function, body=change(function.body))


def _line_that_makes(
    s: ir.Statement, before: list[ir.Statement], alone: set[str]
) -> int | None:
    """The place of the line that makes what a line unpacks, from where nothing but
    other items are read until then; None where it isn't to be unpacked there."""
    if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Pack):
        return None
    if not isinstance(s.value, ir.Var) or s.value.name not in alone:
        return None
    targets = {v.name for v in ir.operand_variables(s.target)}
    for place in reversed(range(len(before))):
        line = before[place]
        if isinstance(line, ir.Assign) and line.target == s.value:
            return place if isinstance(line.value, ir.Apply) else None
        reading = ir.is_line(line, operator.getitem, ops.read_item, len)
        names = ir.names_read_within(line) | ir.names_written_within(line)
        if not reading or targets & names:
            return None
    return None


def _items_read_from(
    block: ir.Block, place: int, function: ir.Function
) -> dict[int, int]:
    """The places of the lines that read the items of one tuple, from a line that reads
    one on, by their positions in it; empty where they don't read each of them once, or
    couldn't do so in the first line."""
    holder = _holder(block[place], function)
    count = 0 if holder is None else _count_of(function.kinds.get(holder.name))
    if holder is None or count < 2:
        return {}
    found: dict[int, int] = {}
    touched: set[str] = set()
    """Variables that lines between read or write."""
    for at in range(place, len(block)):
        line = block[at]
        names = {*ir.names_read_within(line), *ir.names_written_within(line)}
        if _holder(line, function) == holder:
            assert isinstance(line, ir.Assign) and isinstance(line.target, ir.Var)
            key = line.value.args[1].value  # type: ignore[union-attr]
            if key in found or line.target.name in touched | {holder.name}:
                return {}
            found[key] = at
            names = {line.target.name}
            if len(found) == count:
                ordered = dict(sorted(found.items()))
                return ordered if [*ordered] == [*range(count)] else {}
        elif holder.name in ir.names_written_within(line):
            return {}
        touched |= names
    return {}


def _count_of(kind: ir.Kind | None) -> int:
    """How many items a tuple has; 0 for what is none, or may have others."""
    if not isinstance(kind, ir.Reference) or kind.may_be_none or kind.adjoint:
        return 0
    if any(f.is_uniform or not issubclass(f.constructor, tuple) for f in kind.forms):
        return 0
    counts = {len(form.keys) for form in kind.forms}
    return counts.pop() if len(counts) == 1 else 0


def _holder(statement: ir.Statement, function: ir.Function) -> ir.Var | None:
    """The tuple from which a line reads an item by a name of the user's."""
    if not isinstance(statement, ir.Assign) or not isinstance(statement.target, ir.Var):
        return None
    value = statement.value
    if not isinstance(value, ir.Apply) or value.function is not ops.read_item:
        return None
    holder, key = value.args
    named = statement.target.name not in function.temporaries
    if not named or not isinstance(holder, ir.Var):
        return None
    return holder if ir.known_whole_number(key) is not None else None


def _with_arrays_unpacked(function: ir.Function) -> ir.Function:
    """The function with arrays unpacked, which raises where they have another
    length."""
    uses = ir.uses_in(function.body)

    def change(block: ir.Block) -> ir.Block:
        lines: list[ir.Statement] = []
        taken = 0
        for place, s in enumerate(block):
            if place < taken:
                continue
            array, count, test = _checked(s, lines, uses)
            items = _items_in_a_row(block[place + 1 :], s.span, array, count)
            if array is None or not ir.array_kind(array, function.kinds) or not items:
                lines.append(ir.with_blocks(s, change))
                continue
            del lines[-test:]
            taken = place + 1 + len(items)
            unread = [ir.Var(f"{array}.{k}.unread") for k in range(count)]
            targets = [items.get(k, nobody) for k, nobody in enumerate(unread)]
            target = ir.Pack(tuple, tuple(range(count)), tuple(targets))
            lines.append(ir.Assign(s.span, target, array))
        return ir.as_block(lines, block)

    return ir.altered(function, body=change(function.body))


def _checked(
    check: ir.Statement, before: list[ir.Statement], uses: ir.Uses
) -> tuple[ir.Var | None, int, int]:
    """The array whose length a line checks, which raises if it isn't the number that
    comes with it, and how many lines in front compute the test alone."""
    nothing = None, 0, 0
    if not isinstance(check, ir.If) or check.orelse or not before:
        return nothing
    test = before[-1]
    if not ir.is_line(test, operator.ne) or not _raises_value_error(check.body):
        return nothing
    length, count = test.value.args
    (line, *more) = uses.definitions.get(str(length), [None])
    number = ir.known_whole_number(count)
    if not ir.is_line(line, len) or more or number is None:
        return nothing
    if check.test != test.target or uses.reads[test.target.name] != 1:
        return nothing
    (array,) = line.value.args
    alone = uses.reads[str(length)] == 1
    if not isinstance(array, ir.Var) or (alone and before[-2:-1] != [line]):
        return nothing
    return array, number, 1 + alone


def _raises_value_error(block: ir.Block) -> bool:
    effects = (s.value for s in block if isinstance(s, ir.Effect))
    raised = [v.args[0] for v in effects if v.function is ops.raise_exception]
    return len(block) == 1 and raised == [ir.Const(ValueError)]


def _items_in_a_row(
    block: ir.Block, span: ir.Span | None, array: ir.Var | None, count: int
) -> dict[int, ir.Var]:
    """What the first lines of a block read of an array for one line of the user's, by
    the places in it."""
    items: dict[int, ir.Var] = {}
    for s in block:
        if s.span != span or not ir.is_line(s, operator.getitem) or s.value.spelling:
            break
        source, index = s.value.args
        place = ir.known_whole_number(index)
        if source != array or place not in range(count) or place in items:
            break
        items[place] = s.target  # type: ignore[index]
    return items
