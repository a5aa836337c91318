"""The programs of derivatives, as the front end asks for them."""

from s2sad import ir
from s2sad.transform.batching.programs.batched_programs import batched_version
from s2sad.transform.calls.lone_reverses import lone_reverse_of
from s2sad.transform.calls.procedures import gradient_of, pair_of
from s2sad.transform.calls.pushed_procedures import pushed_call, pushforward_of
from s2sad.transform.programs.jacobians import jacobian_of
from s2sad.transform.sparsity.compressed_sweeps import compressed_sweep_of


def batched_pushforward_of(
    procedure: ir.Procedure, active: tuple[str, ...]
) -> ir.Procedure:
    """The program that takes the arguments and many tangents of those that are
    ``active``, and returns what the pushforward does. Raises NotBatched where tangents
    can't be carried together, or their program can't be differentiated again."""
    pushed = pushforward_of(procedure, active)
    own = len(procedure.details.parameters)
    return batched_version(
        pushed, range(own, own + len(active)), procedure.details.spec
    )


class ProgramsOfTransforms:
    """See
    :class:`s2sad.frontend.specialise.derivatives.derivative_programs.DerivativePrograms`."""

    gradient_of = staticmethod(gradient_of)
    pair_of = staticmethod(pair_of)
    lone_reverse_of = staticmethod(lone_reverse_of)
    pushforward_of = staticmethod(pushforward_of)
    pushed_call = staticmethod(pushed_call)
    jacobian_of = staticmethod(jacobian_of)
    batched_pushforward_of = staticmethod(batched_pushforward_of)
    compressed_sweep_of = staticmethod(compressed_sweep_of)
