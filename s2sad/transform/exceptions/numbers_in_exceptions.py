"""Numbers that exceptions hold.

An exception is a foreign object: what is read of one has no derivative. Where the
program puts numbers with derivatives into one and reads what one holds, that would be
wrong, and it is refused::

    raise Found(x * x)
    ...
    except Found as found:
        return found.value * x
"""

import operator
from collections.abc import Mapping

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.transform.exceptions.raised_exceptions import kinds_within

_PARTS = ops.attribute_of_object, ops.method_of_object, operator.getitem, getattr


def refuse_numbers_in_exceptions(function: ir.Function, spec: Specialiser) -> None:
    """Report lines that compute with what a caught exception holds, in a program that
    puts numbers which may carry derivatives into exceptions."""
    called = filter(ir.is_complete, ir.all_procedures([function.body]))
    programs = [function, *(procedure.function for procedure in called)]
    if not any(ir.catches(s) for one in programs for s in ir.walk(one.body)):
        return
    if any(map(_fills_exceptions, programs)):
        for span in _computing(function):
            problem = core.Unsupported(
                "a number that an exception may hold is used: it has no derivative",
                "put it into a variable or an attribute of an object before the raise",
            )
            spec.report_at(problem, span)
        spec.raise_problems()  # what is computed of them is of no known kind


def _fills_exceptions(function: ir.Function) -> bool:
    """True where an exception gets what may carry a derivative."""
    kinds = kinds_within(function)
    for s in ir.walk(function.body):
        for operation in ir.operations(s):
            made, given = operation.function, operation.args
            if made is ops.raise_exception:
                given = given[1:]
            elif not (isinstance(made, type) and issubclass(made, BaseException)):
                continue
            words = tuple(operand for _, operand in operation.keywords)
            for operand in (*given, *words):
                for variable in ir.operand_variables(operand):
                    if ir.is_real_number_kind(kinds.get(variable.name, ir.UNKNOWN)):
                        return True
    return False


def _computing(function: ir.Function) -> list[ir.Span | None]:
    """Where something is computed with what an exception holds, or handed on."""
    kinds, held, before = kinds_within(function), set[str](), -1
    found: list[ir.Span | None] = []
    while len(held) > before:  # a loop may read what the last iteration caught
        before = len(held)
        found = [s.span for s in ir.walk(function.body) if _computes(s, kinds, held)]
    return found


def _computes(s: ir.Statement, kinds: Mapping[str, ir.Kind], held: set[str]) -> bool:
    """True where a statement does so; what it binds to a part of an exception, or to
    what a call may have given of one, is ``held`` too."""
    reads = {v.name for v in ir.direct_reads(s)} & held
    written = {v.name for v in ir.direct_writes(s)}
    foreign = {name for name in written if _may_be_foreign(kinds.get(name))}
    match s:
        case ir.Assign(value=ir.Apply(function=made)):
            called = isinstance(made, ir.Procedure)
            if made is ir.caught_exception or called or (reads and made in _PARTS):
                held |= foreign
                return bool(reads) and called
            if not reads or any(_may_carry(n, kinds) for n in written):
                return bool(reads)
            held |= foreign
        case ir.Assign():
            held |= written if reads else set()
        case ir.Return():
            return any(_may_carry(n, kinds) for n in reads)
        case ir.Effect(value=ir.Apply(function=done)):
            hands_on = done in ops.STORES_INTO_SLOTS or isinstance(done, ir.Procedure)
            return bool(reads) and hands_on
    return False


def _may_be_foreign(kind: ir.Kind | None) -> bool:
    if isinstance(kind, ir.Structure):
        return any(map(_may_be_foreign, kind.items))
    return isinstance(kind, ir.Unknown)


def _may_carry(name: str, kinds: Mapping[str, ir.Kind]) -> bool:
    return ir.is_real_number_kind(kinds.get(name, ir.UNKNOWN))
