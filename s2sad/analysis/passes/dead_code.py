"""Dead code: lines whose results nobody needs are dropped.

The loss itself where only its gradient is asked, the condition of a branch with nothing
in it::

    cost = mul(x, x)
    x.bar = mul(2, x)         ->        x.bar = mul(2, x)
    return x.bar                        return x.bar
"""

from s2sad import ir, ops
from s2sad.analysis.dataflow.liveness import Liveness, live_variables
from s2sad.analysis.passes import purity


def remove_dead_code(function: ir.Function) -> ir.Function:
    """The function without dead lines; calls that may have effects stay.

    >>> cost = ir.Assign(
    ...     None, ir.Var("cost"), ir.Apply(max, (ir.Var("x"), ir.Var("x")))
    ... )
    >>> shown = ir.Assign(None, ir.Var("shown"), ir.Apply(print, (ir.Var("x"),)))
    >>> body = (cost, shown, ir.Return(None, ir.Var("x")))
    >>> print(ir.function_text(remove_dead_code(ir.Function("f", ("x",), body, {}))))
    def f(x: ?):
        shown = print(x)
        return x
    """
    _, analysis = live_variables(function.body, must_run)
    return ir.altered(function, body=_block(function.body, analysis))


def without_dead_lines(block: ir.Block, at_exit: frozenset[str]) -> ir.Block:
    """A block without lines that neither matter nor assign what is live at its end."""
    if not {*map(type, block)} <= {ir.Assign, ir.Effect}:
        _, analysis = live_variables(block, must_run, at_exit)
        return _block(block, analysis)
    analysis, live = Liveness(must_run, set()), set(at_exit)
    kept: list[ir.Statement] = []
    for line in reversed(block):  # few lines one after another, of most rules
        if analysis.is_live(line, live):
            kept.append(line)
            live -= ir.names_written(line)
            live |= ir.names_read(line)
    return ir.as_block(kept[::-1], block)


def must_run(statement: ir.Statement) -> bool:
    """True for calls that may have effects, and writes into arrays of the user's."""
    if not ir.applies(statement):
        return False
    if statement.derived and statement.value.function in ops.STORES:
        return False
    called = statement.value.function
    if purity.takes_its_time(statement):
        return False
    if isinstance(called, ir.Procedure):
        return purity.is_missed(called)
    return purity.may_write(statement) or not purity.is_pure(statement.value.function)


def _block(block: ir.Block, analysis: Liveness) -> ir.Block:
    kept: list[ir.Statement] = []
    for statement in block:
        if not analysis.stays(statement):
            continue
        statement = ir.with_blocks(statement, lambda block: _block(block, analysis))
        kept.append(statement)
    return ir.as_block(kept, block)
