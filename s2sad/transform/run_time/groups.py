"""Variables that may lead to the same list, dict or object."""

from collections.abc import Iterable, Mapping

from s2sad import ir
from s2sad.transform.run_time.active_references import moved_variables


class Groups:
    """Names that may lead to the same structure."""

    def __init__(self) -> None:
        self.parents: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.parents

    def root(self, name: str) -> str:
        """The name that stands for the group of a name."""
        while self.parents.setdefault(name, name) != name:
            name = self.parents[name]
        return name

    def join(self, names: Iterable[str]) -> None:
        """Put names into one group."""
        first, *others = names
        for name in others:
            self.parents[self.root(name)] = self.root(first)


def alike(
    function: ir.Function, kinds: Mapping[str, ir.Kind]
) -> dict[str, frozenset[str]]:
    """For each variable or stack that holds a reference those that may lead to the same
    structure, as the lines that move references say. What a call hands through isn't
    among them."""

    def references(names: Iterable[str]) -> list[str]:
        return [name for name in names if ir.is_of_references(kinds.get(name))]

    groups = Groups()
    for s in ir.walk(function.body):
        if isinstance(s, ir.Save | ir.Restore):
            value = s.value if isinstance(s, ir.Save) else s.target
            if isinstance(value, ir.Var) and references([value.name]):
                groups.join([s.stack.name, value.name])
        elif isinstance(s, ir.Assign) and not _is_call(s):
            targets = references(ir.names_written(s))
            if targets:
                moved = (v.name for v in moved_variables(s.value))
                groups.join([*targets, *references(moved)])
    found: dict[str, set[str]] = {}
    for name in list(groups.parents):
        found.setdefault(groups.root(name), set()).add(name)
    return {name: frozenset(own) for own in found.values() for name in own}


def _is_call(s: ir.Assign) -> bool:
    value = s.value
    return isinstance(value, ir.Apply) and isinstance(value.function, ir.Procedure)
