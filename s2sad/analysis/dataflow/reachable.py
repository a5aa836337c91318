"""What follows from something, and from that.

>>> sorted(reachable({"a": ["b"], "b": ["c"], "d": ["a"]}, ["b"]))
['b', 'c']
"""

from collections.abc import Callable, Iterable, Mapping


def reachable(
    following: Mapping[str, Iterable[str]],
    start: Iterable[str],
    allowed: Callable[[str], bool] = lambda name: True,
) -> set[str]:
    """The names to which steps lead from those of the ``start``, these among them; each
    step leads to one that is ``allowed``."""
    found = set(start)
    pending = list(found)
    while pending:
        for name in following.get(pending.pop(), ()):
            if name not in found and allowed(name):
                found.add(name)
                pending.append(name)
    return found
