"""The identities, by the optimisation that they belong to."""

from collections.abc import Callable, Mapping

from s2sad import ir
from s2sad.optimise.identities import conditions as where
from s2sad.optimise.identities.engine import Identity, identity, rewritten

IDENTITIES: Mapping[str, tuple[Identity, ...]] = {
    # a quotient of Python's numbers whose divisor surely isn't zero raises nothing
    "plain_divisions": (
        identity("quotient(a, b) -> a / b", where.nonzero("b"), exact=True),
    ),
    # an index costs a fifth of the call
    "plain_indices": (
        identity("expand_dims(a, k) -> a[i]", i=where.index_of_new_axis),
        identity("squeeze(a, k) -> a[i]", i=where.index_of_first),
    ),
    # what all tangents share is multiplied first
    "products": (
        identity("s * (w @ y) -> (s * w) @ y", where.scales_rows),
        identity("s * (w @ y) -> w @ (y * s)", where.scales_columns),
        identity("(w @ y) * s -> (s * w) @ y", where.scales_rows),
        identity("(w @ y) * s -> w @ (y * s)", where.scales_columns),
    ),
    # where no element is named twice; what is set to zero and added to is stored once
    "scatters": (
        identity(
            "index_add(a, i, v, True) -> index_add(a, i, v, False)",
            where.distinct("i"),
            exact=True,
        ),
        identity(
            "where(last_writes(a, i), b, c) -> b", where.distinct("i"), exact=True
        ),
        identity("index_add(stored(a, k, 0.0), k, v) -> stored(a, k, v)", exact=True),
        identity(
            "index_add(stored(a, k, 0.0), k, v, False) -> stored(a, k, v)", exact=True
        ),
    ),
    # x**2 takes two to three times as long, and raises for large numbers of Python's
    "squares": (
        identity(
            "c * x**n -> c * x * x",
            where.repeated,
            where.two,
            where.real("x"),
            where.real_result,
        ),
        identity("x**n -> x * x", where.repeated, where.two, where.real("x")),
    ),
    # an axis that a sum keeps, only to lose it, isn't kept
    "squeezed_sums": (
        identity(
            "squeeze(sum(a, axis=i, keepdims=True), k) -> sum(a, axis=i)",
            where.same_axes,
        ),
        identity("squeeze(-a, k) -> -reduced(squeeze(a, k))"),
        identity("squeeze(c * a, k) -> c * reduced(squeeze(a, k))", where.number("c")),
        identity("squeeze(a * c, k) -> reduced(squeeze(a, k)) * c", where.number("c")),
        identity("squeeze(a / c, k) -> reduced(squeeze(a, k)) / c", where.number("c")),
        identity("squeeze(c / a, k) -> c / reduced(squeeze(a, k))", where.number("c")),
    ),
    # one product of all rows of a stack
    "stacked_products": (
        identity(
            "x @ swapaxes(u, i, j) -> swapaxes(matmul_of_stack(u, transpose(x)), 1, 2)",
            where.floats(x=2, u=3),
            where.last_axes,
        ),
    ),
    "transposes": (
        identity("transpose(transpose(a)) -> a", where.matrix("a")),
        identity(
            "transpose(a @ b) -> transpose(b) @ transpose(a)", where.matrix("a", "b")
        ),
    ),
}


def by_identities(
    name: str, stem: str = "product"
) -> Callable[[ir.Function], ir.Function]:
    """The pass that rewrites by the identities of one name."""
    return lambda function: rewritten(function, IDENTITIES[name], stem)
