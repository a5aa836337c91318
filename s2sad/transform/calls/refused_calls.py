"""Which calls are written out where a program is refused that keeps them."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from s2sad import errors, ir
from s2sad.analysis.memory.points_to import returned_memory
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.results import require_contiguous


@contextmanager
def laid_to_calls(
    spec: Specialiser, function: ir.Function, procedure: ir.Procedure | None = None
) -> Iterator[None]:
    """What is refused in the program of a function, or of a ``procedure``, is laid to
    the calls in it by which memory is shared; if there are none, to all calls of the
    procedure, or in the function."""
    try:
        yield
    except errors.UnsupportedError as refused:
        if getattr(refused, "functions", spec.procedures.kept) < spec.procedures.kept:
            raise  # what is called here has laid it to some already
        functions = _kept(spec, function, _shares_memory) or written_out_instead(
            spec, function, procedure
        )
        if not functions:
            raise
        raise core.RefusedAsCalls(refused.problems, frozenset(functions)) from None


def written_out_instead(
    spec: Specialiser, function: ir.Function, procedure: ir.Procedure | None
) -> set[Hashable]:
    """The functions whose calls are written out where a program is refused: the one
    whose program it is, that of a ``procedure`` or of its derivative, or else those
    that it calls. None where nothing that is kept has to do with it."""
    kept = {_identity(procedure)} & spec.procedures.kept
    return kept or _kept(spec, function, lambda called: True)


def check_layouts(procedure: ir.Procedure, function: ir.Function) -> None:
    """Where a kept call writes as the layout of an argument wants it, which only the
    place of the call may know, it is written out."""
    spec: Specialiser = procedure.details.spec
    identity = _identity(procedure)
    if identity in spec.procedures.kept and any(
        isinstance(s, ir.Effect) and s.value.function is require_contiguous
        for s in function.body
    ):
        problem = core.Unsupported(
            "what is written depends on the layout of an argument",
            "pass np.ascontiguousarray(...)",
        )
        found = spec.problem_at(problem, function.body[0].span)
        raise core.RefusedAsCalls((found,), frozenset((identity,)))


def _kept(
    spec: Specialiser, function: ir.Function, wanted: Callable[[ir.Procedure], bool]
) -> set[Hashable]:
    called = filter(wanted, ir.called_procedures(function.body))
    return {_identity(p) for p in called} & spec.procedures.kept


def _identity(procedure: ir.Procedure | None) -> Hashable:
    """The user's function of which this is the program, or a derivative."""
    while procedure is not None:
        if procedure.details is not None and procedure.details.source is not None:
            return procedure.details.source.identity
        procedure = procedure.of
    return None


def _shares_memory(procedure: ir.Procedure) -> bool:
    """True for one that writes into what it is given, or returns parts of it."""
    if procedure.details is None:
        return False
    shared = returned_memory(procedure) or ()
    return bool(procedure.details.written) or any(
        group.parameters or group.outside for group in shared
    )
