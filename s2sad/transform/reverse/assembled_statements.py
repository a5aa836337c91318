"""Compound statements of the two sweeps, made of the assembled blocks in them."""

from dataclasses import replace

from s2sad import ir, ops


def with_assembled_blocks(
    plan: ir.Plan, blocks: list[tuple[ir.Block, ir.Block]]
) -> tuple[ir.Statement, ir.Block]:
    """The forward statement with its blocks, and its reverse."""
    statement = plan.statement
    match statement:
        case ir.If():
            (body, body_back), (orelse, orelse_back) = blocks
            (test,) = plan.control()
            backs = (
                (orelse_back, body_back) if plan.swapped else (body_back, orelse_back)
            )
            reverse = ir.If(statement.span, test, *backs)
            return replace(statement, body=body, orelse=orelse), (reverse,)
        case ir.For():
            ((body, back),) = blocks
            start, stop, step = plan.control()
            loop = replace(
                statement,
                body=back,
                start=start,
                stop=stop,
                step=step,
                backwards=not statement.backwards,
                until=None,
            )
            return replace(statement, body=body), (loop,)
        case ir.While():
            (condition, condition_back), (body, back) = blocks
            assert not condition_back
            ahead = replace(statement, condition=condition, body=body)
            if plan.reverse_count is None:  # nothing of it is reversed
                assert not back
                return ahead, ()
            counted = ir.For(
                statement.span,
                ir.Var(f"{plan.reverse_count.name}.left"),
                ir.Const(0),
                plan.reverse_count,
                ir.Const(1),
                back,
            )
            return ahead, (counted,)
        case ir.With():
            ((body, back),) = blocks
            forward = replace(statement, body=body)
            if statement.reentered:
                return forward, (replace(statement, body=back),)
            return forward, back
        case ir.Try():
            return _attempted(statement, blocks)
    raise TypeError(f"not a compound statement: {statement!r}")


def _attempted(
    statement: ir.Try, blocks: list[tuple[ir.Block, ir.Block]]
) -> tuple[ir.Statement, ir.Block]:
    """The path that ran is reversed. A handler from which control goes on first forgets
    what the body kept."""
    (body, body_back), *handlers, (orelse, orelse_back), (final, final_back) = blocks
    back = (*orelse_back, *body_back)
    stacks = {s.stack for s in ir.walk(body) if isinstance(s, ir.Save)}
    caught = []
    for handler, (block, block_back) in zip(statement.handlers, handlers, strict=True):
        if handler.flag is not None:
            shortened = tuple(
                ir.Assign(
                    None,
                    stack,
                    ir.Apply(ops.shortened_stack, (stack, ops.stack_height(stack))),
                )
                for stack in map(ir.Var, ir.in_order(s.name for s in stacks))
            )
            place = 1 if is_caught(block[:1]) else 0
            block = (*block[:place], *shortened, *block[place:])
            if back or block_back:
                back = (ir.If(statement.span, handler.flag, block_back, back),)
        caught.append(replace(handler, body=block))
    forward = replace(
        statement, body=body, handlers=tuple(caught), orelse=orelse, final=final
    )
    return forward, (*final_back, *back)


def is_caught(block: ir.Block) -> bool:
    """True for the assignment of the exception that a handler caught."""
    return any(ir.applies(s, ir.caught_exception) for s in block)


def completed_alone(
    plan: ir.Plan, body: ir.Block, back: ir.Block
) -> tuple[ir.Block, ir.Block]:
    """Where an iteration that leaves the loop has nothing to reverse, only the others
    are counted::

        count += 1                         if c:
        if c:                                  left = True
            left = True            ->      else:
        else:                                  count += 1
            x = step(x)                        x = step(x)
    """
    last = plan.blocks[-1].plans[-1]
    first, branch = body[0], body[-1]
    count = plan.reverse_count
    if last.reverse_test is None or not isinstance(branch, ir.If) or len(back) != 1:
        return body, back
    (reverse,) = back
    if not isinstance(reverse, ir.If) or reverse.test != last.reverse_test:
        return body, back
    resets = [s for s in reverse.body if isinstance(s, ir.Assign)]
    if len(resets) != len(reverse.body) or any(
        s.value != ir.Const(False) for s in resets
    ):
        return body, back
    assert count is not None and list(ir.direct_writes(first)) == [count]
    if last.swapped:
        branch = replace(branch, body=(first, *branch.body))
    else:
        branch = replace(branch, orelse=(first, *branch.orelse))
    return (*body[1:-1], branch), reverse.orelse
