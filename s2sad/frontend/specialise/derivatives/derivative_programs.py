"""What the front end asks of the transforms: programs of derivatives that a function
takes of others. The compiler passes in who makes them."""

from typing import Any, Protocol

from s2sad import ir


class DerivativePrograms(Protocol):
    """Makes programs of derivatives of programs; each once for its arguments."""

    def gradient_of(
        self,
        procedure: ir.Procedure,
        active: tuple[str, ...],
        *,
        value: bool,
        seeded: bool,
        unit_seeds: bool = False,
        results: int | tuple[int, ...] | None = None,
    ) -> ir.Procedure:
        """The program that returns the adjoints of the parameters ``active``, behind
        the results if ``value``; it takes the cotangents of the results last if
        ``seeded``. Only the first ``results`` are differentiated, or those named, all
        for None. ``unit_seeds``: of cotangents most elements are zero."""
        ...

    def pair_of(
        self, procedure: ir.Procedure, active: tuple[str, ...], seeds: tuple[Any, ...]
    ) -> Any:
        """The forward and the reverse program for the parameters ``active``, and how
        cotangents are marked; ``seeds`` say how those of the results are."""
        ...

    def lone_reverse_of(
        self,
        procedure: ir.Procedure,
        active: tuple[str, ...],
        seed: Any,
        *,
        settled: bool,
    ) -> Any:
        """The same for a function that needs no forward program, the cotangent of whose
        result is marked as ``seed`` says; None for others. ``settled``: nothing that it
        reads is stored behind the call."""
        ...

    def pushforward_of(
        self,
        procedure: ir.Procedure,
        active: tuple[str, ...],
        *,
        unit_tangents: bool = False,
        masked: frozenset[str] = frozenset(),
    ) -> ir.Procedure:
        """The program that takes the arguments and the tangents of those that are
        ``active``, and returns the results and their tangents. ``unit_tangents``: most
        elements of these are zero; ``masked``: of which some may be, by selection."""
        ...

    def pushed_call(
        self,
        procedure: ir.Procedure,
        active: tuple[str, ...],
        masked: frozenset[str],
        unit: frozenset[str],
    ) -> tuple[ir.Procedure, frozenset[int]]:
        """The same where most elements of some tangents are zero, and the results of
        which that holds, too."""
        ...

    def jacobian_of(
        self,
        procedure: ir.Procedure,
        active: tuple[str, ...],
        direction: str,
        results: int | tuple[int, ...] | None,
    ) -> ir.Procedure:
        """The program that returns the results and their Jacobians, all tangents (or
        cotangents) at once. Raises NotBatched where they can't be carried so."""
        ...

    def batched_pushforward_of(
        self, procedure: ir.Procedure, active: tuple[str, ...]
    ) -> ir.Procedure:
        """The pushforward that takes many tangents of each of the parameters
        ``active``, along a leading axis. Raises NotBatched like ``jacobian_of``."""
        ...

    def compressed_sweep_of(
        self, procedure: ir.Procedure, active: str, direction: str
    ) -> ir.Procedure:
        """The program that returns columns, or rows, of a Jacobian along seeds that it
        takes last."""
        ...
