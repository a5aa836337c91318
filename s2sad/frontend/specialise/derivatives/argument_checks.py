"""Checks, made when the program runs, that what is written into shares no memory with
anything else that the program is given."""

from collections.abc import Mapping

from s2sad import ir, ops
from s2sad.analysis.memory.distinct_items import is_list_of_arrays
from s2sad.analysis.memory.memory import OUTSIDE, SLOTS, Buffer
from s2sad.analysis.memory.parts_of_arguments import parts_of_arguments
from s2sad.analysis.memory.points_to import PointsTo
from s2sad.analysis.memory.view_operations import is_number
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.results import require_apart


def checks_of_arguments(
    function: ir.Function,
    memory: PointsTo,
    spec: Specialiser,
    written: set[str] | None = None,
) -> ir.Block:
    """Checks that what is written into shares no memory with other arguments, or with
    data of the module: all of that, or the arguments ``written``."""
    given = given_arrays(function)
    if written is None:
        written = written_arguments(function, memory, given)
    if not written:
        return ()
    read = ir.names_read_in(function.body)
    others: dict[str, ir.Operand] = {
        name: variable
        for name, variable in given.items()
        if variable.name in read and not is_number(function.kinds.get(variable.name))
    }
    for data in _data_read(function.body):
        if not is_number(spec.module.kinds.get(data)):
            others[data.name] = data
    checks = []
    for name in sorted(written):
        for other, operand in others.items():
            if other != name and not (other in written and other < name):
                operands = (given[name], operand, ir.Const(name), ir.Const(other))
                checks.append(ir.Effect(None, ir.Apply(require_apart, operands)))
    return tuple(checks)


def behind_parts(function: ir.Function, checks: ir.Block) -> ir.Block:
    """The body with checks of arguments, if it hasn't those, behind the lines that take
    them apart."""
    known = [s.value for s in function.body if isinstance(s, ir.Effect)]
    checks = tuple(c for c in checks if getattr(c, "value", None) not in known)
    parts = parts_of_arguments(function)
    places = [k for k, s in enumerate(function.body, 1) if id(s) in parts]
    place = max(places, default=0)
    return *function.body[:place], *checks, *function.body[place:]


def written_arguments(
    function: ir.Function, memory: PointsTo, given: Mapping[str, ir.Var]
) -> set[str]:
    """Which of the arguments ``given`` a function writes into, also under other names,
    and where it stored them."""
    written: set[str] = set()
    in_slots = _buffers_in_slots(memory)
    for s in ir.walk(function.body):
        if ops.is_write(s):
            assert isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)
            if not is_number(function.kinds.get(s.target.name)):
                own = memory.before(s).of(s.target.name)
                if not in_slots.isdisjoint(own):
                    own |= in_slots
                written |= {p for p in given if (*OUTSIDE, p) in own}
    return written


def _buffers_in_slots(memory: PointsTo) -> frozenset[Buffer]:
    """What may stand in lists, dicts and objects that are kept."""
    held = memory.anywhere.buffers
    found: frozenset[Buffer] = frozenset((SLOTS,))
    while True:
        more = found.union(*(own for own in held.values() if not own.isdisjoint(found)))
        if more == found:
            return found
        found = more


def given_arrays(function: ir.Function) -> dict[str, ir.Var]:
    """What a function is given, by how Python spells it: its parameters, and the arrays
    and lists of arrays in those that are taken apart."""
    parts = parts_of_arguments(function)
    taken_apart = {parts[s].split("[")[0].split(".")[0] for s in parts}
    given = {p: ir.Var(p) for p in function.parameters if p not in taken_apart}
    for s in function.body:
        if id(s) in parts:
            assert isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)
            kind = function.kinds.get(s.target.name)
            if isinstance(kind, ir.Array) or is_list_of_arrays(kind):
                given[parts[id(s)]] = s.target
    return given


def _data_read(body: ir.Block) -> list[ir.Global]:
    """The data of the module that a program reads, and what it calls."""
    found: dict[ir.Global, None] = {}
    called = filter(ir.is_complete, ir.all_procedures([body]))
    blocks = [body, *(p.function.body for p in called)]
    for s in (s for block in blocks for s in ir.walk(block)):
        for operation in ir.operations(s):
            for argument in (*operation.args, *(v for _, v in operation.keywords)):
                if isinstance(argument, ir.Global):
                    found[argument] = None
        value = getattr(s, "value", None)
        if isinstance(value, ir.Global):
            found[value] = None
    return list(found)
