"""Programs that work on copies of what they are given: those of functions that write
into their arguments, and are differentiated inside of another function.

::

    def f(x, y):            ->      def f(x, y):
        x[0] = y[1]                     require_apart(x, y)
        return x * y                    x = x.copy()
                                        x[0] = y[1]
                                        return x * y

A derivative leaves the arguments as they are, so nobody sees the difference, unless two
arguments share memory: that is checked when the program runs.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.memory.distinct_items import is_list_of_arrays
from s2sad.analysis.memory.parts_of_arguments import parts_of_arguments
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.passes.all_kinds import with_all_kinds
from s2sad.analysis.passes.purity import writes_arrays
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import given_containers
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.derivatives import argument_checks
from s2sad.frontend.specialise.heap import argument_cells
from s2sad.frontend.specialise.run_time import queries, storing, working_copies
from s2sad.ops.runtime.results import require_arrays_apart


def own_values(spec: Specialiser, args: Args, words: Words) -> tuple[Args, Words]:
    """What a derivative is given, with what lists, dicts and objects hold now in their
    place. Notes which these are."""
    if not spec.facts.changing:
        return args, words
    values = (*args, *words.values())
    spec.given_cells = [f for value in values for f in core.frames_of_cells(value)]
    own = tuple(map(spec.by_value, values))
    return own[: len(args)], dict(zip(words, own[len(args) :], strict=True))


def as_given_now(spec: Specialiser, given: list[core.Leaf]) -> list[core.Leaf]:
    """What a pullback reads when it is called, as it is now: the program may write into
    arrays, and store into what is kept."""
    stored = [
        leaf
        for leaf in given
        if ir.is_of_references(leaf.kind) and storing.leads_to_stored(spec, leaf.kind)
    ]
    copies = working_copies.copied_together(spec, stored) if stored else {}
    return [copies.get(leaf.operand) or _array_as_now(spec, leaf) for leaf in given]


_AS_NOW = "as it is now"
"""The spelling of a copy that is needed where the program writes into arrays."""


def _array_as_now(spec: Specialiser, leaf: core.Leaf) -> core.Leaf:
    of_arrays = isinstance(leaf.kind, ir.Array) or is_list_of_arrays(leaf.kind)
    if not of_arrays or not isinstance(leaf.operand, ir.Var):
        return leaf
    copy = ir.Apply(ops.own_copy, (leaf.operand,), (), _AS_NOW)
    return spec.assign(spec.fresh("kept"), copy, leaf.kind)


def with_values_now(
    function: ir.Function, spec: Specialiser, is_procedure: bool
) -> ir.Function:
    """The program in which pullbacks read arrays as they were, those themselves where
    nothing is written into arrays. Whether a caller does isn't known."""
    if not any(map(_is_copy_now, ir.walk(function.body))):
        return function
    called = ir.all_procedures([function.body])
    writes = any(map(ops.is_write, ir.walk(function.body)))
    writes = writes or is_procedure or any(map(writes_arrays, called))

    def settled(s: ir.Statement) -> ir.Block:
        if not _is_copy_now(s):
            return (s,)
        assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
        if not writes:
            return (replace(s, value=s.value.args[0]),)
        if not isinstance(s.kind, ir.Array):
            problem = core.Unsupported(
                "a pullback of a function of a list of arrays, in a program that "
                "writes into arrays",
                "call vjp with copies of them: [a.copy() for a in arrays]",
            )
            spec.report_at(problem, s.span)
        return (replace(s, value=replace(s.value, spelling="")),)

    body = ir.with_leaves(function.body, settled)
    spec.raise_problems()
    return replace(function, body=body)


def _is_copy_now(s: ir.Statement) -> bool:
    return ir.is_line(s, ops.own_copy) and s.value.spelling == _AS_NOW


def keep_apart(spec: Specialiser, procedure: ir.Procedure, given: list[Any]) -> None:
    """What a program changes must be no other of its arguments: refuse one that is
    ``given`` twice. Whether two arguments of the whole program are one is checked when
    that runs."""
    if not any(frame in spec.changed_cells for frame in procedure.details.own_cells):
        return
    if len(set(given)) < len(given):
        raise core.Unsupported(
            f"{procedure.__name__} is given one list, dict or object twice, and "
            "changes it",
            "pass a copy",
        )
    if len(given) > 1:
        spec.compared_cells |= set(given)


def hold_own_cells(spec: Specialiser, details: Any) -> None:
    """Let the parameters hold lists, dicts and objects that may change as cells of
    their own, and lists and dicts whose structure the program changes as such of its
    own."""
    arguments = {n: _with_paths(details, v) for n, v in details.arguments.items()}
    spec.given = arguments
    copied = working_copies.work_on_copies(spec, arguments)
    copied = given_containers.own_containers(spec, copied)
    details.own_cells, details.owned = [], {}
    for name, value in copied.items():
        held = argument_cells.as_argument(spec, name, value)
        argument_cells.hold(spec, name, held, value)
        details.own_cells += core.frames_of_cells(held)
        given = arguments[name]
        owned = {x.operand for x in core.leaves(given) if x.path in spec.facts.owned}
        if owned:
            found = argument_cells.cells_with_holders(spec, held, given, (name,))
            details.owned |= {f: h for f, h in found if h.operand in owned}


def _with_paths(details: Any, value: core.Value) -> core.Value:
    """An argument, of whose parts that are kept is known which parameters they are."""
    name = details.source.qualname

    def own(leaf: core.Leaf) -> core.Leaf:
        kept = queries.is_reference(leaf)
        return replace(leaf, path=(name, leaf.operand)) if kept else leaf

    return core.map_leaves(value, own)


def checks_of_own(spec: Specialiser, details: Any) -> list[ir.Statement]:
    """Checks that nobody else holds the lists and dicts of which the program has its
    own."""
    given = {str(p.operand): p for p in details.parameters}
    return [
        *argument_cells.checks_of_kept(spec, details.owned, spec.given),
        *argument_cells.checks_of_cells(spec, details.owned),
        *working_copies.checks_of_arrays(spec, given),
    ]


def with_own_arrays(
    function: ir.Function, spec: Specialiser, *, in_lists_alone: bool = False
) -> ir.Function:
    """The program with copies of the arrays among its parameters that it writes into,
    and of those in lists."""
    if not any(map(ops.is_write, ir.walk(function.body))):
        return function
    known = with_all_kinds(function)
    given = argument_checks.given_arrays(known)
    kinds = {name: known.kinds.get(array.name) for name, array in given.items()}
    if in_lists_alone and not any(map(is_list_of_arrays, kinds.values())):
        return function
    memory = points_to(known, apart=True, as_written=True)
    lines: list[ir.Statement] = []
    names: dict[ir.Operand, ir.Var] = {}
    written = argument_checks.written_arguments(known, memory, given)
    if in_lists_alone:
        written = {name for name in written if is_list_of_arrays(kinds[name])}
    for name in sorted(written):
        array, kind = given[name], kinds[name]
        if is_list_of_arrays(kind):
            made, names[array] = _own_items(spec, array, kind or ir.UNKNOWN, name)
            lines += made
        elif isinstance(kind, ir.Array) and kind.axes is not None:
            if not kind.promoted:
                copy = ir.Apply(ops.own_copy, (array,))
                lines.append(ir.Assign(spec.main_span, array, copy, kind))
    if not lines:
        return function
    lines = [*argument_checks.checks_of_arguments(known, memory, spec, written), *lines]
    parts = parts_of_arguments(known)
    body = ((s,) if id(s) in parts else _under_names((s,), names) for s in known.body)
    known = replace(known, body=tuple(s for block in body for s in block))
    return replace(function, body=argument_checks.behind_parts(known, tuple(lines)))


def _own_items(
    spec: Specialiser, arrays: ir.Var, kind: ir.Kind, name: str
) -> tuple[ir.Block, ir.Var]:
    """Lines that make a list of copies of a list of arrays, of which no two may share
    memory, and that list."""
    check = ir.Apply(require_arrays_apart, (arrays, ir.Const(name)))
    with spec.new_block() as block:
        spec.emit(ir.Effect(spec.main_span, check))
        copies = spec.expand(_copies, {"arrays": core.Leaf(arrays, kind)})
    own = spec.fresh(arrays.name.strip(".").split(".")[0].split("~")[0])
    return _under_names(tuple(block), {core.operand_of(copies): own}), own


def _under_names(block: ir.Block, names: Mapping[ir.Operand, ir.Var]) -> ir.Block:
    """A block with other names for some variables: one name for what is written into
    needs no look at who else holds it."""

    def name(v: ir.Var) -> ir.Operand:
        return names.get(v, v)

    return ir.renamed(block, name, name)


def _copies(arrays: Any) -> Any:
    return [array.copy() for array in arrays]
