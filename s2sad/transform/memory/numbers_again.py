"""Numbers computed again: what the reverse program of a pair reads, and has cheaply of
its other residuals or of nothing but constants, is no residual of its own; what has two
names is one.

::

    residuals: x, h, c = 2.5, p = 0.1 * x, q = -k, r = -k     residuals: x, h, q
    x.bar = mul(y.bar, p)                                     c = 2.5
    h.bar = mul(q, r)                                   ->    p = 0.1 * x
    k.bar = mul(k.bar, c)                                     r = q
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Set
from dataclasses import replace

from s2sad import ir
from s2sad.analysis.reverse.costs import Costs


def numbers_at_hand(
    forwards: ir.Function, backwards: ir.Block, free: Set[str]
) -> ir.Block:
    """Lines that compute numbers again for the reverse sweep, in front of it. ``free``
    are the variables that it reads of the forward sweep.

    >>> import operator
    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> def line(name, function, *args):
    ...     return ir.Assign(None, ir.Var(name), ir.Apply(function, args), ir.FLOAT)
    >>> body = (
    ...     line("p", operator.mul, ir.Const(0.1), ir.Var("x")),
    ...     line("q", operator.neg, ir.Var("k")),
    ...     line("r", operator.neg, ir.Var("k")),
    ... )
    >>> forwards = ir.Function("f", ("x", "k"), body, dict.fromkeys("xkpqr", ir.FLOAT))
    >>> [str(s.target) for s in numbers_at_hand(forwards, (), set("xpqr"))]
    ['p', 'r']
    >>> numbers_at_hand(forwards, (), {"p", "q"})
    ()
    >>> constant = ir.Assign(None, ir.Var("c"), ir.Const(2.5), ir.FLOAT)
    >>> forwards = ir.Function("f", ("x",), (constant,), {"x": ir.FLOAT})
    >>> [str(s.target) for s in numbers_at_hand(forwards, (), {"x", "c"})]
    ['c']
    """
    written = Counter(forwards.parameters)
    for s in (*ir.walk(forwards.body), *ir.walk(backwards)):
        written.update(v.name for v in ir.direct_writes(s))
    costs = Costs(lambda name: forwards.kinds.get(name, ir.UNKNOWN))
    names: dict[str, str] = {}
    """The first name of each number."""
    known: dict[Hashable, str] = {}
    residuals: dict[str, ir.Var] = {}
    """The first residual among the names of a number, by the first of all."""
    again: list[ir.Statement] = []
    for s in forwards.body:
        if not isinstance(s, ir.Assign) or not _is_number(s.kind):
            continue
        if s.kind in (ir.BOOL, ir.NumPyScalar("bool")):
            continue  # what branches of both programs test
        if isinstance(s.value, ir.Const):
            names_bound = {v.name for v in ir.direct_writes(s)}
            if names_bound <= free and all(written[n] == 1 for n in names_bound):
                again.append(s)
        if not ir.is_line(s) or s.value.keywords:
            continue
        read = [o for o in s.value.args if isinstance(o, ir.Var)]
        if any(written[v.name] != 1 for v in (s.target, *read)):
            continue
        plain = all(isinstance(o, ir.Var | ir.Const) for o in s.value.args)
        if not plain or not all(_is_number(forwards.kinds.get(v.name)) for v in read):
            continue
        price = costs.repeated(s)
        if price is None:
            continue
        target = s.target.name
        first = names[target] = known.setdefault(_key(s, names), target)
        if target not in free:
            continue
        same = residuals.setdefault(first, s.target)
        if same is not s.target:
            again.append(replace(s, value=same))
        elif not read or (price < costs.prices.kept and free >= {v.name for v in read}):
            again.append(s)
    return tuple(again)


def _key(s: ir.Line, names: Mapping[str, str]) -> Hashable:
    """Equal for lines that compute the same number: not 0.0 and -0.0."""
    parts = (
        names.get(o.name, o.name) if isinstance(o, ir.Var) else (type(o), repr(o))
        for o in s.value.args
    )
    return s.value.function, s.kind, *parts


def _is_number(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Scalar | ir.NumPyScalar)
