"""Lists and dicts of the program's own in place of those that it is given and whose
structure it changes (``run_time/owning.py``)."""

from collections.abc import Mapping

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import by_value, merged_dicts, queries


def own_containers(
    spec: Specialiser, arguments: Mapping[str, core.Value]
) -> dict[str, core.Value]:
    """The arguments with lists and dicts of the program's own in place of those whose
    structure it changes. Notes whose they are."""

    def owned(leaf: core.Leaf) -> core.Value:
        if leaf.path not in spec.facts.owned or not queries.is_reference(leaf):
            return leaf
        if queries.is_dict(leaf):
            return merged_dicts.merged(spec, [leaf])
        made = by_value.copied(spec, leaf)
        spec.holders[core.operand_of(made)] = spec.holders.get(
            leaf.operand, leaf.operand
        )
        return made

    if not spec.facts.owned:
        return dict(arguments)
    return {name: core.map_leaves(v, owned) for name, v in arguments.items()}
