"""What is iterated over, as the compiler sees it.

- A structure (``Aggregate``): its items are known one by one, and a loop is written
  out.
- ``Elements``: a length, and the element at any index. A loop runs over the indices.
- ``Stream``: loops and branches around a callback (generators, ``filter``). Its body
  runs wherever it gives a value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise.core.activations import Frame
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.values import Aggregate, Leaf, Value, constant

Body = Callable[[Value], None]


class Elements:
    """What a loop runs over when its length is known only when the program runs."""

    def __init__(
        self,
        length: Value,
        element: Callable[[Leaf], Value],
        numbers: Numbers | None = None,
        of_number: Callable[[Leaf], Value] | None = None,
        hint: str = "",
    ) -> None:
        if length == constant(None) and not isinstance(self, Endless):
            raise Unsupported(
                "an iterator without end is run over to its end", "cut it first"
            )
        self.length, self.element = length, element
        self.numbers = numbers
        """What the loop's own variable counts, if not indices."""
        self.of_number = of_number or element
        """The element from the loop's variable."""
        self.hint = hint

    @property
    def counted(self) -> Numbers:
        """What a loop over the elements counts."""
        return self.numbers or Numbers(constant(0), self.length, constant(1))

    def mapped(self, change: Callable[[Value], Value], hint: str = "") -> Elements:
        """The elements changed, each when it is reached."""
        return Elements(
            self.length,
            lambda index: change(self.element(index)),
            self.numbers,
            lambda number: change(self.of_number(number)),
            hint or self.hint,
        )


class Endless(Elements):
    """Elements without end: something else must end the loop."""

    def __init__(self, element: Callable[[Leaf], Value]) -> None:
        super().__init__(constant(None), element)

    def mapped(self, change: Callable[[Value], Value], hint: str = "") -> Endless:
        return Endless(lambda index: change(self.element(index)))


@dataclass(frozen=True)
class Numbers:
    """The bounds of a range."""

    start: Value
    stop: Value
    step: Value
    backwards: bool = False
    """The same numbers, last first."""

    @property
    def bounds(self) -> list[Value]:
        return [self.start, self.stop, self.step]

    def element(self, spec: Any, index: Leaf) -> Value:
        number: Value = index
        if self.step != constant(1):
            number = spec.operate(operator.mul, (self.step, number))
        if self.start != constant(0):
            number = spec.operate(operator.add, (self.start, number))
        return number

    def place(self, spec: Any, number: Leaf) -> Value | None:
        """The index of a number; None where that takes more than a difference."""
        if self.step != constant(1) or self.backwards:
            return None
        if self.start == constant(0):
            return number
        return spec.operate(operator.sub, (number, self.start))


@dataclass(frozen=True)
class Exit:
    """A flag of the consumer: once it is true, nothing more is run."""

    frame: Frame
    name: str

    def variable(self, spec: Any) -> ir.Var:
        with spec.inside(self.frame):
            return spec.variable(self.name)

    def value(self) -> Value:
        return self.frame.names[self.name]

    def is_false(self, spec: Any) -> None:
        """At the head of an iteration the flag is known to be false."""
        known = Leaf(self.variable(spec), ir.Scalar("bool", False))
        self.frame.names[self.name] = known


class Stream:
    """Values that code gives one by one."""

    def __init__(self, run: Callable[[Body, Exit | None, bool], None]) -> None:
        self.run = run
        """``run(body, exit, known)`` runs ``body`` for each value. ``known``: raise
        NotKnown where the number of values depends on the run."""
        self.returned: Value = constant(None)
        """What its generator has returned, once it has run."""


Iteration = Aggregate | Elements | Stream


def elements_of(items: Iteration) -> Elements:
    """Elements, where all are needed at once."""
    if not isinstance(items, Elements):
        raise Unsupported(
            "a list or dict grows or shrinks while it is run over",
            "run over a copy: for item in list(items)",
        )
    return items


class NotKnown(Exception):
    """How many values there are depends on the run."""
