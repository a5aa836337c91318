"""Dead code: lines whose results nobody needs are dropped.

The loss itself where only its gradient is asked, the condition of a branch with nothing
in it::

    cost = mul(x, x)
    x.bar = mul(2, x)         ->        x.bar = mul(2, x)
    return x.bar                        return x.bar
"""

from __future__ import annotations

from s2sad.analysis.dataflow.liveness import Liveness, live_variables
from s2sad.analysis.passes.purity import is_pure, may_write
from s2sad.ir.nodes import Apply, Assign, Block, Function, Statement
from s2sad.ir.walking import altered, as_block, with_blocks
from s2sad.ops.buffers import STORES


def remove_dead_code(function: Function) -> Function:
    """The function without dead lines; calls that may have effects stay.

    >>> from s2sad.ir.nodes import Return, Var
    >>> from s2sad.ir.text import function_text
    >>> cost = Assign(None, Var("cost"), Apply(max, (Var("x"), Var("x"))))
    >>> shown = Assign(None, Var("shown"), Apply(print, (Var("x"),)))
    >>> body = (cost, shown, Return(None, Var("x")))
    >>> print(function_text(remove_dead_code(Function("f", ("x",), body, {}))))
    def f(x: ?):
        shown = print(x)
        return x
    """
    _, analysis = live_variables(function.body, must_run)
    return altered(function, body=_block(function.body, analysis))


def without_dead_lines(block: Block, at_exit: frozenset[str]) -> Block:
    """A block without lines that neither matter nor assign what is live at its end."""
    _, analysis = live_variables(block, must_run, at_exit)
    return _block(block, analysis)


def must_run(statement: Statement) -> bool:
    """True for calls that may have effects, and writes into arrays of the user's."""
    value = statement.value if isinstance(statement, Assign) else None
    if not isinstance(value, Apply):
        return False
    assert isinstance(statement, Assign)
    if statement.derived and value.function in STORES:
        return False
    return may_write(statement) or not is_pure(value.function)


def _block(block: Block, analysis: Liveness) -> Block:
    kept: list[Statement] = []
    for statement in block:
        if not analysis.is_live(statement, analysis.facts.after[id(statement)]):
            continue
        statement = with_blocks(statement, lambda block: _block(block, analysis))
        kept.append(statement)
    return as_block(kept, block)
