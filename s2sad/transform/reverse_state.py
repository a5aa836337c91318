"""What the plans of all statements have in common: the state of the walk backwards."""

from __future__ import annotations

from s2sad.analysis.assigned import assigned_variables, possibly_assigned
from s2sad.analysis.flags import flags_before_branches
from s2sad.frontend.specialise import Specialised
from s2sad.ir.nodes import Block, Function
from s2sad.transform.contributions import Contributions
from s2sad.transform.plans import BlockPlan, flags_of


class ReverseState(Contributions):
    """The table of cotangents, and what is known of the function around a statement."""

    def __init__(
        self,
        function: Function,
        specialised: Specialised,
        active: set[str],
        independents: set[str],
    ) -> None:
        super().__init__(function, specialised.specialiser, active)
        self.independents = independents
        self.assigned = assigned_variables(function.body, function.parameters)
        self.possibly = possibly_assigned(function.body, function.parameters)
        self.flags = flags_of(function.body)
        self.flags_before = flags_before_branches(function.body, self.flags)
        self.loops = 0
        """How many loops are around the statement under way."""
        self.stacks: set[str] = set()
        """Stacks of cotangents, empty where the reverse sweep starts."""

    def block(self, block: Block) -> BlockPlan:
        """The plan of a block; walks it backwards."""
        raise NotImplementedError
