"""Items of a caller's defaultdict, read by their keys: one that isn't there raises when
the derivative runs, for the program would add it to what the caller holds."""

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.results import require_key


def require_item(spec: Specialiser, value: core.Leaf, key: core.Leaf) -> None:
    """Emit the check that the key is there."""
    check = ir.Apply(require_key, (value.operand, key.operand))
    spec.emit(ir.Effect(spec.span, check))


def refuse_caught(spec: Specialiser, body: ir.Block) -> None:
    """Raise UnsupportedError for such a check inside of a try that may catch what it
    raises, also in what is called there: the program itself doesn't raise."""
    blocks = [body, *_bodies_of([body])]
    attempts = [s for b in blocks for s in ir.walk(b) if isinstance(s, ir.Try)]
    for attempt in attempts:
        inside = [attempt.body, *_bodies_of([attempt.body])]
        for check in (s for block in inside for s in ir.walk(block)):
            if attempt.handlers and _is_check(check):
                problem = core.Unsupported(
                    "a defaultdict is read by a key inside of a try: a key that it "
                    "doesn't have raises in a derivative, and not in the program",
                    "use its get, or read it before the try",
                )
                spec.report_at(problem, check.span)
                spec.raise_problems()


def _bodies_of(blocks: list[ir.Block]) -> list[ir.Block]:
    return [p.function.body for p in ir.all_procedures(blocks) if ir.is_complete(p)]


def _is_check(statement: ir.Statement) -> bool:
    return any(a.function is require_key for a in ir.operations(statement))
