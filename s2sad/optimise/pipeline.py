"""The optimisations in the order they run, each with the name that switches it off."""

from collections.abc import Callable

from s2sad import ir
from s2sad.analysis.passes import copies, dead_code, shapes, stored_slots
from s2sad.analysis.passes.common_subexpressions import share_common_subexpressions
from s2sad.optimise import early_reads, joined_additions, joined_branches
from s2sad.optimise.buffers import in_place, joint_stacks, list_cotangents, scatters
from s2sad.optimise.buffers.added_parts import add_parts
from s2sad.optimise.buffers.dead_stores import drop_dead_stores
from s2sad.optimise.identities.table import by_identities
from s2sad.optimise.products import contractions, preaccumulation, products, turned_sums
from s2sad.optimise.products.common_factors import share_common_factors
from s2sad.optimise.products.element_numbers import with_element_numbers
from s2sad.transform.programs import stopped, webs
from s2sad.transform.programs.found_before import without_solutions

PASSES: tuple[tuple[str, Callable[[ir.Function], ir.Function]], ...] = (
    ("copies", copies.propagate_copies),
    ("shapes", shapes.read_shapes_of_named),
    ("dead_code", dead_code.remove_dead_code),
    ("stored_slots", stored_slots.with_slots_settled),
    ("shapes", shapes.read_shapes_of_named),
    ("preaccumulation", preaccumulation.preaccumulate),
    ("dead_code", dead_code.remove_dead_code),
    ("joined_additions", joined_additions.join_additions),
    ("products", products.merge_products),
    ("dead_code", dead_code.remove_dead_code),
    ("products", products.merge_products),
    ("dead_code", dead_code.remove_dead_code),
    ("copies", copies.propagate_copies),
    ("transposes", by_identities("transposes")),
    ("stacked_products", by_identities("stacked_products")),
    ("squeezed_sums", by_identities("squeezed_sums")),
    ("contractions", contractions.contract_sums),
    ("common_subexpressions", share_common_subexpressions),
    ("copies", copies.propagate_copies),
    ("common_factors", share_common_factors),
    ("dead_code", dead_code.remove_dead_code),
    ("common_subexpressions", share_common_subexpressions),
    ("copies", copies.propagate_copies),
    ("products", products.merge_products),
    ("dead_code", dead_code.remove_dead_code),
    ("joined_branches", joined_branches.join_branches),
    ("products", products.merge_products),
    ("dead_code", dead_code.remove_dead_code),
    ("plain_indices", by_identities("plain_indices")),
    ("scatters", scatters.simplify_scatters),
    ("added_parts", add_parts),
    ("dead_stores", drop_dead_stores),
    ("early_reads", early_reads.read_parts_early),
    ("in_place", in_place.accumulate_in_place),
    ("turned_sums", turned_sums.turn_sums),
    ("transposes", by_identities("transposes")),
    ("list_cotangents", list_cotangents.with_list_cotangents),
    ("squares", by_identities("squares", "squared")),
    ("element_numbers", with_element_numbers),
    ("copies", copies.propagate_copies),
    ("dead_code", dead_code.remove_dead_code),
    ("plain_divisions", by_identities("plain_divisions")),
    ("joint_stacks", joint_stacks.join_stacks),
)

SWITCHES = (
    *dict.fromkeys(name for name, _ in PASSES),
    "cancelling",
    "chosen_iterations",
    "deques",
    "destination_passing",
    "inlining",
    "inner_lists",
    "keyed_heaps",
    "known_tests",
    "loops_over_kept",
    "ownership",
    "recompute",
    "release",
    "results_at_hand",
    "saved_rows",
    "scalar_replacement",
    "unrolling",
)
"""The names of all optimisations; the last sixteen are no passes over the program of a
derivative."""
OF_THE_PROGRAM = frozenset({"inlining", "scalar_replacement", "unrolling"})
"""Those that decide what is called, how data is held and what is a loop:
``optimise=False`` leaves them on."""


def optimised(
    function: ir.Function,
    switched_off: frozenset[str],
    dump: Callable[[str, ir.Function, bool], None],
    procedure: ir.Procedure | None = None,
) -> ir.Function:
    """The program after all optimisations that aren't switched off. ``procedure`` is
    the one whose program it is."""
    function = ir.without_regions(stopped.without_stops(without_solutions(function)))
    function = webs.split_webs(function)
    unchanged: set[str] = set()
    """The passes that leave the program as it is now."""
    changed: dict[str, bool] = {}
    """By pass, whether its last run changed anything."""
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
        changed[name] = function is not before
        if name == "joined_branches" and not changed[name]:
            if not changed.get("products"):  # it has just run, and found nothing
                unchanged |= {"products", "dead_code"}
        dump(name, function, function is before)
    return function
