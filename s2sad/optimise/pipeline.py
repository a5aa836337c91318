"""The optimisations in the order they run, each with the name that switches it off."""

from __future__ import annotations

from collections.abc import Callable

from s2sad import ir
from s2sad.analysis.passes.copies import propagate_copies
from s2sad.analysis.passes.dead_code import remove_dead_code
from s2sad.analysis.passes.shapes import read_shapes_of_named
from s2sad.optimise.buffers.added_parts import add_parts
from s2sad.optimise.buffers.dead_stores import drop_dead_stores
from s2sad.optimise.buffers.in_place import accumulate_in_place
from s2sad.optimise.buffers.joint_stacks import join_stacks
from s2sad.optimise.buffers.list_cotangents import with_list_cotangents
from s2sad.optimise.buffers.scatters import simplify_scatters
from s2sad.optimise.common_subexpressions import share_common_subexpressions
from s2sad.optimise.early_reads import read_parts_early
from s2sad.optimise.identities.table import by_identities
from s2sad.optimise.joined_additions import join_additions
from s2sad.optimise.joined_branches import join_branches
from s2sad.optimise.products.common_factors import share_common_factors
from s2sad.optimise.products.contractions import contract_sums
from s2sad.optimise.products.element_numbers import with_element_numbers
from s2sad.optimise.products.preaccumulation import preaccumulate
from s2sad.optimise.products.products import merge_products
from s2sad.optimise.products.turned_sums import turn_sums
from s2sad.transform.programs.found_before import without_solutions
from s2sad.transform.programs.stopped import without_stops
from s2sad.transform.programs.webs import split_webs

PASSES: tuple[tuple[str, Callable[[ir.Function], ir.Function]], ...] = (
    ("copies", propagate_copies),
    ("shapes", read_shapes_of_named),
    ("dead_code", remove_dead_code),
    ("shapes", read_shapes_of_named),
    ("preaccumulation", preaccumulate),
    ("dead_code", remove_dead_code),
    ("joined_additions", join_additions),
    ("products", merge_products),
    ("dead_code", remove_dead_code),
    ("products", merge_products),
    ("dead_code", remove_dead_code),
    ("transposes", by_identities("transposes")),
    ("stacked_products", by_identities("stacked_products")),
    ("squeezed_sums", by_identities("squeezed_sums")),
    ("contractions", contract_sums),
    ("common_subexpressions", share_common_subexpressions),
    ("copies", propagate_copies),
    ("common_factors", share_common_factors),
    ("dead_code", remove_dead_code),
    ("common_subexpressions", share_common_subexpressions),
    ("copies", propagate_copies),
    ("products", merge_products),
    ("dead_code", remove_dead_code),
    ("joined_branches", join_branches),
    ("plain_indices", by_identities("plain_indices")),
    ("scatters", simplify_scatters),
    ("added_parts", add_parts),
    ("dead_stores", drop_dead_stores),
    ("early_reads", read_parts_early),
    ("in_place", accumulate_in_place),
    ("turned_sums", turn_sums),
    ("transposes", by_identities("transposes")),
    ("list_cotangents", with_list_cotangents),
    ("squares", by_identities("squares", "squared")),
    ("element_numbers", with_element_numbers),
    ("copies", propagate_copies),
    ("dead_code", remove_dead_code),
    ("plain_divisions", by_identities("plain_divisions")),
    ("joint_stacks", join_stacks),
)

SWITCHES = (
    *dict.fromkeys(name for name, _ in PASSES),
    "cancelling",
    "chosen_iterations",
    "destination_passing",
    "inner_lists",
    "keyed_heaps",
    "ownership",
    "recompute",
    "release",
    "results_at_hand",
    "saved_rows",
)
"""The names of all optimisations; the last ten are no passes over the program of a
derivative."""


def optimised(
    function: ir.Function,
    switched_off: frozenset[str],
    dump: Callable[[str, ir.Function, bool], None],
    procedure: ir.Procedure | None = None,
) -> ir.Function:
    """The program after all optimisations that aren't switched off. ``procedure`` is
    the one whose program it is."""
    function = ir.without_regions(without_stops(without_solutions(function)))
    function = split_webs(function)
    unchanged: set[str] = set()
    """The passes that leave the program as it is now."""
    for name, rewrite in PASSES:
        if name in switched_off:
            continue
        before = function
        if name not in unchanged:
            if rewrite is with_element_numbers:
                function = with_element_numbers(function, procedure)
            else:
                function = rewrite(function)
            unchanged = {*unchanged, name} if function is before else set()
        dump(name, function, function is before)
    return function
