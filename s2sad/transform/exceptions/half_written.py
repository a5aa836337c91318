"""What is changed in place by a call that raises, and how far isn't known.

NumPy's arithmetic in place raises FloatingPointError, under ``np.errstate``, when it
has written its results. A program that is called may raise when it has changed what its
caller holds, and a manager may hide that. What goes on would need to know how far they
came. It can't: the derivative raises there::

    except FloatingPointError:         except FloatingPointError:
        w = mul(w, 2.0)         ->         error = caught_exception()
                                           failed = isinstance(error, FloatingPoint...)
                                           if failed:
                                               do raise_exception(RuntimeError, ...)
                                           w = mul(w, 2.0)
"""

from collections.abc import Iterator
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.reverse.activity import may_store
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.transform.exceptions import raised_exceptions
from s2sad.transform.reverse.assembled_statements import is_caught


def with_half_written_noticed(function: ir.Function, spec: Specialiser) -> ir.Function:
    """The function in which handlers don't go on with what a call may have changed in
    part; the same one where there is none such. What a manager hides is refused."""
    if not any(map(ir.catches, ir.walk(function.body))):
        return function
    noticing = _Noticing(function, spec)
    body = ir.rewritten(function.body, lambda s: (noticing.statement(s),))
    return ir.altered(function, body=body)


class _Noticing:
    """Rewrites one function."""

    def __init__(self, function: ir.Function, spec: Specialiser) -> None:
        self.function, self.spec = function, spec
        self.temporaries = {
            s.target.name: s.kind
            for s in ir.walk(function.body)
            if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)
        }

    def statement(self, s: ir.Statement) -> ir.Statement:
        if isinstance(s, ir.With) and s.swallows:
            for name in self.changing_calls(s.body, (ir.Handler(None, ()),)):
                advice = "write a try statement that doesn't call it"
                problem = core.Unsupported(_reason(name), advice)
                self.spec.report_at(problem, s.span)
        if not isinstance(s, ir.Try) or not s.handlers:
            return s
        handlers = []
        for handler in s.handlers:
            if not ops.ends_raising(handler.body):
                calls = list(self.changing_calls(s.body, (handler,)))
                if calls:
                    body = (_raising(s, _reason(calls[0])), *handler.body)
                    handler = replace(handler, body=body)
                elif self.writes_arrays(s.body, handler):
                    handler = self.asking(s, handler)
            handlers.append(handler)
        if all(a is b for a, b in zip(handlers, s.handlers)):
            return s
        return replace(s, handlers=tuple(handlers))

    def changing_calls(
        self, body: ir.Block, handlers: tuple[ir.Handler, ...]
    ) -> Iterator[str]:
        """The names of programs that are called there, change what they are given, and
        may raise."""
        caught = raised_exceptions.caught_from(handlers, self.function.kinds)
        for s in ir.walk(body):
            for operation in ir.operations(s):
                procedure = operation.function
                if isinstance(procedure, ir.Procedure) and caught(s):
                    details = procedure.details
                    if details.written or details.changed or may_store(procedure):
                        yield procedure.__name__
                        return

    def writes_arrays(self, body: ir.Block, handler: ir.Handler) -> bool:
        """True where arithmetic may write into an array and raise what is caught."""
        awaited = raised_exceptions.classes_of(handler.types)
        awaited = raised_exceptions.ANYTHING if awaited is None else awaited
        if not issubclass(FloatingPointError, awaited):
            return False
        return any(ops.is_write(s) and self.stores_array(s) for s in ir.walk(body))

    def stores_array(self, s: ir.Result) -> bool:
        """True for arithmetic in place, and for a store of what may be an array."""
        if ops.is_augmented(s):
            return isinstance(self.kind(s.value.args[0]), ir.Array)
        number = isinstance(self.kind(s.value.args[2]), ir.Scalar | ir.NumPyScalar)
        return not number and not isinstance(s.value.args[2], ir.Const)

    def kind(self, operand: ir.Operand) -> ir.Kind | None:
        name = operand.name if isinstance(operand, ir.Var) else ""
        return self.function.kinds.get(name) or self.temporaries.get(name)

    def asking(self, s: ir.Try, handler: ir.Handler) -> ir.Handler:
        """The handler that asks first whether arithmetic raised."""
        body, kinds = handler.body, self.function.kinds
        if not is_caught(body[:1]):
            error = self.spec.fresh("error")
            kinds[error.name] = ir.OPAQUE  # type: ignore[index]
            named = ir.Assign(
                s.span, error, ir.Apply(ir.caught_exception, ()), ir.OPAQUE
            )
            body = (named, *body)
        first, *rest = body
        assert isinstance(first, ir.Assign) and isinstance(first.target, ir.Var)
        test = self.spec.fresh("half_written")
        kinds[test.name] = ir.BOOL  # type: ignore[index]
        asked = ir.Apply(isinstance, (first.target, ir.Const(FloatingPointError)))
        raising = _raising(s, _reason("arithmetic that writes into an array"))
        check = ir.If(s.span, test, (raising,), ())
        lines = (first, ir.Assign(s.span, test, asked, ir.BOOL), check, *rest)
        return replace(handler, body=lines)


def _reason(what: str) -> str:
    return (
        f"{what} raised inside a try whose handler goes on: what it had changed by "
        "then isn't known"
    )


def _raising(s: ir.Try, reason: str) -> ir.Effect:
    words = ir.Const(RuntimeError), ir.Const(reason)
    return ir.Effect(s.span, ir.Apply(ops.raise_exception, words))
