"""Which parameters a program writes into."""

from s2sad import ir, ops
from s2sad.analysis.memory.memory import OUTSIDE
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.memory.view_operations import is_number
from s2sad.analysis.passes.all_kinds import with_all_kinds


def parameters_written(function: ir.Function) -> set[str]:
    """The parameters that a function writes into, also under other names."""
    function = with_all_kinds(function)
    memory = points_to(function, apart=True, as_written=True)
    found: set[str] = set()
    for s in ir.walk(function.body):
        if ops.is_write(s):
            if not is_number(function.kinds.get(s.target.name)):
                held = memory.before(s).of(s.target.name)
                found |= {p for p in function.parameters if (*OUTSIDE, p) in held}
    return found
