"""Final names: short, speaking, unique, and shared by variables that never live at the
same time.

The IR's names carry where a variable comes from (``x~2`` is the second web of ``x``,
``x.bar`` its adjoint, ``product.3`` a temporary). Here they become names of the output.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Mapping

from s2sad.analysis.liveness import live_variables
from s2sad.ir.nodes import For, Function
from s2sad.ir.walking import direct_writes, walk


def base_name(name: str, temporary: bool) -> str:
    """The name a variable would like to have.

    >>> base_name("x~2", False), base_name("x.bar", False)
    ('x', 'x_bar')
    >>> base_name("product.3.bar~2", True)
    'product_bar'
    """
    base = re.sub(r"~\d+", "", name)
    base = re.sub(r"\.\d+", "", base)
    if base.startswith("."):
        base = re.sub(r"_\d+($|\.)", r"\1", base)
    base = base.split(":")[-1].strip("._").replace(".", "_")
    return base or "value"


def final_names(function: Function, reserved: Iterable[str] = ()) -> dict[str, str]:
    """The output's name of each variable.

    ``reserved`` are names that mean something else in the output (modules, helpers,
    globals). The user's variables keep their names; others give way.
    """
    interference = _interference(function)
    names: dict[str, str] = {}
    holders: dict[str, set[str]] = {}
    taken = {*reserved, *keyword.kwlist}
    for name in function.parameters:
        names[name] = name
        holders.setdefault(name, set()).add(name)
    users = {
        base_name(n, False)
        for n in function.kinds
        if "." not in n and n not in function.temporaries
    }
    variables = list(
        dict.fromkeys(v.name for s in walk(function.body) for v in direct_writes(s))
    )
    own = [n for n in variables if "." not in n and n not in function.temporaries]
    for name in dict.fromkeys((*own, *variables)):
        if name in names:
            continue
        temporary = name in function.temporaries
        base = base_name(name, temporary)
        derived = temporary or "." in name
        if derived and hasattr(builtins, base):
            base = f"{base}_value"
        count = 1
        candidate = base
        while (
            candidate in taken
            or (derived and candidate in users and not candidate.endswith("_dot"))
            or any(
                other in interference.get(name, ())
                for other in holders.get(candidate, ())
            )
        ):
            count += 1
            candidate = f"{base}_{count}"
        names[name] = candidate
        holders.setdefault(candidate, set()).add(name)
    return names


def _interference(function: Function) -> Mapping[str, set[str]]:
    """Variables of the same wish that are live where the other is assigned."""
    facts, _ = live_variables(function.body, lambda s: True)
    found: dict[str, set[str]] = {}

    def note(a: str, live: Iterable[str]) -> None:
        for b in live:
            if a != b:
                found.setdefault(a, set()).add(b)
                found.setdefault(b, set()).add(a)

    for statement in walk(function.body):
        after = facts.after.get(id(statement), frozenset())
        if isinstance(statement, For):
            inner = statement.body[0] if statement.body else None
            after = facts.before.get(id(inner), frozenset()) if inner else after
            note(statement.target.name, after)
            continue
        for variable in direct_writes(statement):
            note(variable.name, after)
    start = facts.start or frozenset()
    for parameter in function.parameters:
        note(parameter, start)
        note(parameter, function.parameters)
    return found
