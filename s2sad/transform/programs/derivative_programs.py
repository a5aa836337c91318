"""The programs of derivatives, as the front end asks for them."""

from __future__ import annotations

from s2sad.transform.calls.procedures import gradient_of, pair_of, pushforward_of
from s2sad.transform.programs.jacobians import batched_pushforward_of, jacobian_of
from s2sad.transform.sparsity.compressed_sweeps import compressed_sweep_of


class ProgramsOfTransforms:
    """See
    :class:`s2sad.frontend.specialise.derivatives.derivative_programs.DerivativePrograms`."""

    gradient_of = staticmethod(gradient_of)
    pair_of = staticmethod(pair_of)
    pushforward_of = staticmethod(pushforward_of)
    jacobian_of = staticmethod(jacobian_of)
    batched_pushforward_of = staticmethod(batched_pushforward_of)
    compressed_sweep_of = staticmethod(compressed_sweep_of)
