"""What the plans of all statements have in common: the state of the walk backwards."""

from functools import cached_property

from s2sad import ir
from s2sad.analysis.dataflow import assigned, dataflow, flags
from s2sad.analysis.numbers.sure_divisors import sure_divisors
from s2sad.frontend.specialise import Specialised, core
from s2sad.transform.adjoints.contributions import Contributions


class ReverseState(Contributions):
    """The table of cotangents, and what is known of the function around a statement."""

    def __init__(
        self,
        function: ir.Function,
        specialised: Specialised,
        active: set[str],
        independents: set[str],
        again: bool = False,
    ) -> None:
        super().__init__(function, specialised.specialiser, active, again)
        self.given_as = specialised.given
        self.at_once = False
        """True where one function runs both sweeps, and nothing is stored between."""
        self.settled_calls: frozenset[int] = frozenset()
        """The calls behind which nothing is stored of what they read."""
        self.independents = independents
        self.own_program = specialised.function
        self.assigned = assigned.bound_variables(function.body, function.parameters)
        self.possibly = assigned.possibly_assigned(function.body, function.parameters)
        self.flags = ir.flags_of(function.body)
        self.flags_before = flags.flags_before_branches(function.body, self.flags)
        self.block_end: ir.Statement | None = None
        """The last statement of the block around the statement under way."""
        self.loops = 0
        """How many loops are around the statement under way."""
        self.stacks: set[str] = set()
        """Stacks of cotangents, empty where the reverse sweep starts."""
        self.stacks_of_references: set[str] = set()
        """Stacks on which the program keeps references."""

    @cached_property
    def divisors(self) -> dataflow.Facts[frozenset[str]]:
        """The variables that surely aren't zero, for the program would have raised."""
        return sure_divisors(self.function)

    def is_nonzero(self, value: core.Value) -> bool:
        """True for a variable that surely isn't zero where the block around the
        statement ends, and has one value only."""
        if not isinstance(value, core.Leaf) or not isinstance(value.operand, ir.Var):
            return False
        name = value.operand.name
        single = len(self.definitions.get(name, ())) <= 1 and name not in self.restored
        known = self.divisors.after.get(id(self.block_end)) if single else None
        return isinstance(known, frozenset) and name in known

    def block(self, block: ir.Block) -> ir.BlockPlan:
        """The plan of a block; walks it backwards."""
        raise NotImplementedError
