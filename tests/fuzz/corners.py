"""Random statements at the corners: guards over singular values, and numbers that are
objects of the user's classes."""

from __future__ import annotations

from tests.fuzz.loops import Loops
from tests.fuzz.writer import Env

FOREIGN = """
from enum import Enum
from fractions import Fraction


class Named(float):
    pass


class Weight(float):
    def __mul__(self, other):
        return float(self) * 0.5 * other

    __rmul__ = __mul__


class Level(float, Enum):
    LOW = 0.5
    HIGH = 1.5


class Holder:
    part = Fraction(2, 5)

    def __init__(self):
        self.named = Named(0.7)
        self.level = Level.HIGH


NAMED = Named(1.25)
WEIGHT = Weight(0.6)
PART = Fraction(1, 3)
HOLDER = Holder()
"""
OBJECTS = ("NAMED", "WEIGHT", "Level.LOW", "PART", "HOLDER.named", "HOLDER.level")
OBJECTS += ("HOLDER.part", "Holder.part", "Level.HIGH.value")
OF_OBJECTS = (
    *("{0} * {1}", "{1} - {0}", "math.sin({0} * {1})", "abs({0} - {1})"),
    *("float({1}) * {0}", "max({0}, {1})", "{0} / {1}", "np.tanh({0} * {1})"),
    *("divmod({0}, {1})[1]", "np.sum(v * {1}) * {0}", "math.cos({0} + {1})"),
    *("{0} ** {1} if {0} > 0.1 else {1}", "np.maximum({0}, {1})", "-{1} * {0}"),
)
SINGULAR = (
    *("math.sqrt(o)", "math.sqrt(o * o)", "np.sqrt(np.sum(q * q))", "abs(o) ** 0.5"),
    *(
        "np.sqrt(abs(o))",
        "math.asin(1.0 - o) - 0.5 * math.pi",
        "o ** 0.3",
        "math.sqrt(q[0] ** 2)",
    ),
    *("np.sqrt(o) * {s}", "np.sqrt(q[0] * q[1])", "(o * o * {s} ** 2) ** 0.25"),
)
"""Values at arguments that are 0, where their derivatives are infinite or nan."""
GUARDS = (
    ("if {d} < 0.1:", "    {t} = 3.0 * o + {s}", "else:", "    {t} = {s} / {d}"),
    ("{t} = ({s} if {d} < 0.1 else {d})",),
    ("if {d} > 0.1:", "    {t} = {d} * {s}", "else:", "    {t} = {s} + o"),
    ("{t} = {{0: {s}, 1: {d}}}[1 if o > 0.5 else 0]",),
    ("{t} = [{s}, {d}][1 if o > 0.5 else 0]",),
    ("{t} = sorted([{d}, 2.0 + {s} ** 2])[1]",),
    ("{t} = next(e0 for e0 in [{d}, 1.0 + {s} ** 2] if e0 > 0.1)",),
    ("{t} = {d}", "for {i} in range(2):", "    {t} = {s} * ({i} + 1) + o"),
    ("{t} = {s}", "for e0 in [{d}, o + 1.0]:", "    if e0 < 0.1: continue")
    + ("    {t} = {t} + e0 * e0",),
    ("box0 = Box(v, {d})", "{t} = (box0.s if o > 0.5 else {s})"),
    ("known0 = lambda t0: (t0 * {d} if t0 > 9.0 else t0 + o)", "{t} = known0({s})"),
    ("{t} = max({d}, 1.0 + {s} ** 2)",),
    ("{t} = np.sum(np.where(q > 0.1, np.sqrt(q), q + {s}))",),
    ("{t} = np.sum(np.sqrt(q)[q > 0.1]) + {s}",),
)


class Corners(Loops):
    """Writes them, where it is asked to."""

    corners = False

    def statement(self, env: Env, held: set[str], depth: int) -> None:
        if self.corners and self.one_in(5):
            self.pick(self.singular, self.of_object)(env, held, depth)
        else:
            super().statement(env, held, depth)

    def singular(self, env: Env, held: set[str], depth: int) -> None:
        """A value with no finite derivative, and a guard that leaves it out."""
        if "o" not in env or "q" not in env or "v" not in env:
            return self.of_object(env, held, depth)
        d, s = self.loop_name("d"), self.expression("s", env, 1)
        self.emit(f"{d} = {self.pick(*SINGULAR).format(s='x')}")
        target = self.target(env, "s", held)
        words = {"d": d, "t": target, "s": f"({s})", "i": self.loop_name("i")}
        for line in self.pick(*GUARDS):
            self.emit(line.format(**words))
        env[target] = "s"
        return None

    def of_object(self, env: Env, held: set[str], depth: int) -> None:
        """An operation with a number that is an object of a class."""
        names = self.names_of(env, "s")
        if not names or "v" not in env:
            return
        value = self.pick(*OF_OBJECTS)
        target = self.target(env, "s", held)
        made = value.format(self.random.choice(names), self.pick(*OBJECTS))
        self.emit(f"{target} = {made}")
        env[target] = "s"
