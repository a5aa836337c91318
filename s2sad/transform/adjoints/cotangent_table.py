"""The table of cotangents: each contribution to the cotangent of a variable is added to
those before it, the first is assigned.
"""

import operator
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.numbers import infinite_values
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.added_places import spread_over_places
from s2sad.ops.runtime.rows import rows_apart, rows_of_terms, stacked_rows
from s2sad.ops.runtime.sequences import unless_empty
from s2sad.transform.adjoints.broadcast_sums import BroadcastSums
from s2sad.transform.adjoints.cotangents import Cotangent, Masked
from s2sad.transform.calls import properties
from s2sad.transform.reverse.guards import guards_of


class CotangentTable(BroadcastSums):
    """The cotangents of variables at one place of the reverse sweep, and the lines that
    add to them."""

    def __init__(
        self,
        function: ir.Function,
        spec: Specialiser,
        active: set[str],
        again: bool = False,
    ) -> None:
        super().__init__(function, spec, active)
        self.state: dict[str, Cotangent] = {}
        self.again = again
        self.behind_singular = infinite_values.behind_singular(
            function.body, function.kinds
        )
        self.guards = guards_of(function.body)
        self.complements: dict[core.Leaf, core.Leaf] = {}
        """Flags of which one is true where the other isn't."""

    @cached_property
    def singular(self) -> frozenset[str]:
        """The variables that may be inf or nan."""
        wanted = (
            infinite_values.SINGULAR_AGAIN if self.again else infinite_values.SINGULAR
        )
        given = self.given_as.get(infinite_values.SINGULAR.name, frozenset())
        calls = properties.calls_of(wanted, self.function, given)
        return frozenset(wanted.variables(self.function, given, calls))

    def may_be_complex(self, value: core.Value) -> bool:
        """True for a complex number or array, and for what may be one as far as the
        kinds tell."""
        kind = core.kind_of(value)
        return ir.is_complex(kind) or (
            self.spec.computes_complex and ir.dtype_is_unknown(kind)
        )

    def is_singular(self, value: core.Value) -> bool:
        """True for what may be inf or nan."""
        return any(
            isinstance(leaf.operand, ir.Var) and leaf.operand.name in self.singular
            for leaf in core.leaves(value)
        )

    def is_active(self, value: core.Value) -> bool:
        """True for a variable that has an adjoint."""
        if isinstance(value, core.Aggregate):
            return any(map(self.is_active, core.leaves(value)))
        return (
            isinstance(value, core.Leaf)
            and isinstance(value.operand, ir.Var)
            and value.operand.name in self.active
        )

    def contribute(
        self,
        variable: ir.Var,
        value: core.Leaf,
        masked: Masked,
        *,
        full: bool = False,
        contributed: core.Leaf | None = None,
    ) -> None:
        """Add to the cotangent of a variable; the first contribution assigns. ``full``
        says that the contribution surely has the variable's shape; where the flag
        ``contributed`` is false it is none."""
        if isinstance(self.kind(variable.name), ir.Reference):
            raise core.Unsupported(
                "a list, dict or object is used as a whole by an operation that isn't "
                "known to read its items",
                "read its items, and compute with these",
            )
        known = self.state.get(variable.name)
        if known is not None and value == core.constant(0.0):
            return
        value = self.real_part_for(variable, value)
        value = self.in_form_of(variable, value)
        if known is not None:
            masked = min(masked, known.masked)
            if masked and known.contributed and contributed:
                if self.complements.get(contributed) == known.contributed:
                    masked = Masked.NO
                contributed = self._either(known.contributed, contributed)
            else:
                contributed = None
            both = known.value, value
            if ir.is_promoted(self.kind(variable.name)):
                both = (
                    self.of_shape(known.value, variable),
                    self.of_shape(value, variable),
                )
            both = both[0], self.unless_empty(variable, both[1])
            if isinstance(value.kind, ir.List):
                total = self.spec.apply(ops.added_rows, both, hint="sum")
            else:
                total = self.spec.operate(operator.add, both)
            assert isinstance(total, core.Leaf)
            value = total
            full = full or known.full
        target = self.bar(variable.name)
        self.move(value, target)
        self.state[variable.name] = Cotangent(
            core.Leaf(target, value.kind),
            masked,
            contributed=contributed if masked else None,
            full=full and self.is_filled(variable.name),
        )

    def real_part_for(self, variable: ir.Var, value: core.Leaf) -> core.Leaf:
        """A contribution to the cotangent of a real number, of which complex ones were
        made: its imaginary part belongs to a change that the number can't make."""
        kind = ir.without_none(self.kind(variable.name))
        if ir.is_complex(kind) or not self.may_be_complex(value):
            return value
        if isinstance(kind, ir.Numeric) and ir.dtype_of(kind) is not None:
            return core.single(self.spec.apply(np.real, (value,)))
        if not ir.is_complex(value.kind):
            return value
        raise core.Unsupported(*core.NOT_TOLD_COMPLEX)

    def flag_for(
        self, name: str, cotangents: Sequence[Cotangent | None]
    ) -> core.Leaf | None:
        """A flag that something contributed to the cotangent of a variable, which it
        has from one of several places; None where nothing will ask for it, or one of
        these holds zeros that no flag tells."""
        surely = all(c is not None and not c.masked for c in cotangents)
        told = all(c is None or c.told for c in cotangents)
        if name not in self.behind_singular or surely or not told:
            return None
        return core.Leaf(self.spec.fresh(f"{own_name(name)}_used"), ir.BOOL)

    def set_flag(self, flag: core.Leaf | None, cotangent: Cotangent | None) -> None:
        """Set the flag that something contributed for what is known of it here."""
        if flag is None:
            return
        known: ir.Operand = ir.Const(cotangent is not None)
        if cotangent is not None and cotangent.contributed is not None:
            known = core.operand_of(self.settled_flag(cotangent.contributed))
        assert isinstance(flag.operand, ir.Var)
        if known != flag.operand:
            self.spec.assign(flag.operand, known, ir.BOOL)

    def settled_flag(self, contributed: core.Leaf) -> core.Leaf:
        """A flag as a variable of its own."""
        if ir.dtype_of(contributed.kind) == "bool":
            return contributed
        return core.single(
            self.spec.operate(operator.ne, (contributed, core.constant(0.0)))
        )

    def _either(self, own: core.Leaf, contributed: core.Leaf) -> core.Leaf:
        """The flag that something contributed to one of two cotangents that are
        added."""
        if own == contributed and ir.dtype_of(own.kind) == "bool":
            return own
        both = (self.settled_flag(own), self.settled_flag(contributed))
        return core.single(self.spec.apply(operator.or_, both, hint="used"))

    def in_form_of(self, variable: ir.Var, value: core.Leaf) -> core.Leaf:
        """The cotangent of a list as an array, or as a list of rows, as the variable
        has it."""
        kind = self.kind(variable.name)
        if not isinstance(kind, ir.List):
            return value
        function: Any = None
        full = self.full_kind(variable.name)
        if isinstance(full, ir.List) and isinstance(value.kind, ir.List):
            function = _conversion_of_rows(value.kind.item, full.item)
        elif isinstance(full, ir.List):
            if ir.rank_of(value.kind) == ir.rank_of(
                ir.array_of_list(ir.without_none(kind)) or ir.UNKNOWN
            ):
                function = ops.rows_of
            elif isinstance(full.item, ir.List):
                raise _lists_of_different_shapes()
            else:
                function = rows_of_terms
        elif isinstance(value.kind, ir.List):
            function = ops.shaped_as_items
        if function is None:
            return value
        alone = function in (ops.rows_of, rows_apart)
        operands = (value,) if alone else (value, core.Leaf(variable, kind))
        made = core.single(self.spec.apply(function, operands, hint="rows"))
        # rows of lists are lists, too
        return self.in_form_of(variable, made) if function is ops.rows_of else made

    def unless_empty(self, variable: ir.Var, value: core.Leaf) -> core.Leaf:
        """The cotangent of a list of arrays, for another to be added to it: that of an
        empty list doesn't show the shape of the items."""
        kind = self.kind(variable.name)
        rank = ir.rank_of(ir.array_of_list(ir.without_none(kind)) or ir.UNKNOWN)
        if not rank or rank == 1 or ir.rank_of(value.kind) != rank:
            return value
        assert isinstance(kind, ir.List)
        if ir.is_never_empty(kind):
            return value
        return core.single(self.spec.apply(unless_empty, (value,), hint="rows"))

    def move(self, value: core.Leaf, target: ir.Var) -> None:
        """``target = value``, by naming the operation's result so where that is
        possible."""
        place = self._where_made(value.operand, target)
        if place is not None:
            made = self.spec.block[place]
            assert isinstance(made, ir.Assign)
            self.spec.block[place] = ir.altered(made, target=target)
        elif value.operand != target:
            self.spec.assign(target, value.operand, value.kind)

    def _where_made(self, operand: ir.Operand, target: ir.Var) -> int | None:
        """The place of the line that computes a temporary and may as well compute the
        target: what follows reads neither."""
        if (
            not isinstance(operand, ir.Var)
            or operand.name not in self.spec.temporaries
            or operand in self.spec.read_again
            or operand.name.endswith(self.suffix)
        ):
            return None
        for place in range(len(self.spec.block) - 1, -1, -1):
            line = self.spec.block[place]
            if not isinstance(line, ir.Assign):
                return None
            if line.target == operand:
                return place if isinstance(line.value, ir.Apply) else None
            touched = (*ir.direct_reads(line), *ir.direct_writes(line))
            if target in touched or operand in touched:
                return None
        return None

    def scatter(self, variable: ir.Var, part: core.Aggregate, masked: Masked) -> None:
        """Add into elements of one buffer."""
        known = self.state.get(variable.name)
        target = self.bar(variable.name)
        kind = self.full_kind(variable.name)
        index, amount, repeats = part.items
        # the emitter must know, also where the rule bound it to a name
        repeated = ir.Const(getattr(core.kind_of(repeats), "value", None) is not False)
        if repeated.value:
            read = core.Leaf(variable, self.kind(variable.name))
            amount = spread_over_places(self.spec, read, index, amount)
        operands = (core.operand_of(index), core.operand_of(amount), repeated)
        if known is None and any(target in ir.operand_variables(o) for o in operands):
            # x = x[i]: the adjoint that is pulled back has the same name
            previous = self.spec.fresh("previous")
            self.spec.assign(previous, target, kind)
            operands = tuple(
                ir.map_operand(o, lambda v: previous if v == target else v)
                for o in operands
            )
        if known is None:
            self.assign_zero(variable.name, present=True)
        else:
            filled = self.fill(variable.name, known)
            if isinstance(kind, ir.Array) and isinstance(filled, ir.Array):
                kind = replace(kind, dtype=filled.dtype)
        if getattr(index, "constructor", None) is slice:  # an empty list has them, too
            rows = self.unless_empty(
                variable, core.Leaf(operands[1], core.kind_of(amount))
            )
            operands = (operands[0], rows.operand, operands[2])
        self.spec.assign(target, ir.Apply(ops.index_add, (target, *operands)), kind)
        by_mask = any(
            ir.dtype_of(core.kind_of(i)) == "bool" for i in core.leaves(part.items[0])
        )
        if masked is not Masked.SELECTED:
            masked = Masked.SELECTED if by_mask else Masked.GATHERED
        if known is not None:
            masked = min(masked, known.masked)
        self.state[variable.name] = Cotangent(
            core.Leaf(target, kind), masked, full=self.is_filled(variable.name)
        )

    def fill(self, name: str, cotangent: Cotangent) -> ir.Kind:
        """Bring an adjoint to full shape, in its own variable. That of a variable which
        may have no value is at full shape, or the number 0.0 where it has none. Gives
        its kind; it may have another dtype than the variable."""
        value = cotangent.value
        maybe_zero = ir.is_promoted(value.kind) and not ir.is_promoted(self.kind(name))
        if not cotangent.full and (self.surely_bound(name) or not maybe_zero):
            value = self.filled(name, value)
        made = self.complex_if(self.full_kind(name), value)
        self.move(made, self.bar(name))
        return made.kind

    def complex_if(self, kind: ir.Kind, value: core.Leaf) -> core.Leaf:
        """What others are added into, in the dtype of a complex array: its cotangent
        may have come from the real part alone."""
        complex_array = isinstance(kind, ir.Array) and ir.is_complex(kind)
        if not complex_array or ir.is_complex(value.kind):
            return value
        return core.single(
            self.spec.apply(operator.add, (value, core.constant(0j)), hint="full")
        )


def own_name(name: str) -> str:
    """The name under which a user knows a variable."""
    return name.split("~")[0].split(":")[-1].strip(".")


def _conversion_of_rows(own: ir.Kind | None, wanted: ir.Kind | None) -> Any:
    """What brings rows of one kind to that of others: a row is an array, or a list."""
    if isinstance(own, ir.List) and isinstance(wanted, ir.List):
        if _conversion_of_rows(own.item, wanted.item) is not None:
            raise _lists_of_different_shapes()
        return None
    if isinstance(own, ir.List):
        return stacked_rows
    array = isinstance(own, ir.Array) and isinstance(wanted, ir.List)
    return rows_apart if array else None


def _lists_of_different_shapes() -> core.Unsupported:
    return core.Unsupported(
        "lists in lists in a list of unknown length have items of different shapes on "
        "some paths only",
        "use an array",
    )
