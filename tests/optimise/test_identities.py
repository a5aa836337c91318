"""The table of identities: each row, and when the engine leaves a line as it is."""

from __future__ import annotations

import pytest

from s2sad.ir.kinds import ONE, Array, Axis
from s2sad.optimise.identities.engine import rewritten
from s2sad.optimise.identities.table import IDENTITIES
from tests.optimise.rewriting import after
from tests.support.ir_text import matrix, vector

N, M, K = (Axis("many", name) for name in "nmk")
SQUARE, ROWS, COLUMNS = matrix("n", "n"), Array("float64", (N, ONE)), vector("n")
STACK = Array("float64", (K, N, N))
SUMMED = "t = derived(np.sum(a, axis=1, keepdims=True))"


def squeezed(operation):
    lines = [SUMMED, f"u = derived({operation})", "b = derived(np.squeeze(u, 1))"]
    return lines, {"a": SQUARE, "t": ROWS, "u": ROWS, "b": COLUMNS}


CASES = {
    "quotient(a, b)": (
        ["t = 1.0 / a", "b = quotient(t, a)"],
        {},
        ["t = truediv(1.0, a)", "b = truediv(t, a)"],
    ),
    "expand_dims(a, k)": (
        ["b = derived(np.expand_dims(a, 1))"],
        {"a": COLUMNS, "b": ROWS},
        ["b = getitem(a, tuple(:, None))"],
    ),
    "squeeze(a, k)": (
        ["b = derived(np.squeeze(a, -1))"],
        {"a": ROWS, "b": COLUMNS},
        ["b = getitem(a, tuple(:, 0))"],
    ),
    "mul(s, matmul(w, y)) rows": (
        ["p = derived(a @ x)", "b = derived(s * p)"],
        {"a": SQUARE, "x": STACK, "p": STACK, "b": STACK, "s": ROWS},
        ["product.1 = mul(s, a)", "b = matmul(product.1, x)"],
    ),
    "mul(s, matmul(w, y)) columns": (
        ["p = derived(x @ a)", "b = derived(s * p)"],
        {"a": SQUARE, "x": STACK, "p": STACK, "b": STACK, "s": COLUMNS},
        ["product.1 = mul(a, s)", "b = matmul(x, product.1)"],
    ),
    "mul(matmul(w, y), s) rows": (
        ["p = derived(a @ x)", "b = derived(p * s)"],
        {"a": SQUARE, "x": STACK, "p": STACK, "b": STACK, "s": ROWS},
        ["product.1 = mul(s, a)", "b = matmul(product.1, x)"],
    ),
    "mul(matmul(w, y), s) columns": (
        ["p = derived(x @ a)", "b = derived(p * s)"],
        {"a": SQUARE, "x": STACK, "p": STACK, "b": STACK, "s": COLUMNS},
        ["product.1 = mul(a, s)", "b = matmul(x, product.1)"],
    ),
    "index_add(a, i, v, True)": (
        ["b = index_add(a, 1, s, True)"],
        {"a": COLUMNS, "b": COLUMNS},
        ["b = index_add(a, 1, s, False)"],
    ),
    "where(last_writes(a, i), b, c)": (
        ["t = last_writes(a, 1)", "b = np.where(t, s, 0.0)"],
        {"a": COLUMNS, "t": COLUMNS},
        ["t = last_writes(a, 1)", "b = s"],
    ),
    "index_add(stored(a, k, 0.0), k, v)": (
        ["b = stored(a, x, 0.0)", "b = index_add(b, x, s)"],
        {"a": COLUMNS, "b": COLUMNS},
        ["b = stored(a, x, s)"],
    ),
    "index_add(stored(a, k, 0.0), k, v, False)": (
        ["b = stored(a, x, 0.0)", "t = x * s", "b = index_add(b, x, t, False)"],
        {"a": COLUMNS, "b": COLUMNS},
        ["t = mul(x, s)", "b = stored(a, x, t)"],
    ),
    "squeeze(sum(a, axis=i, keepdims=True), k)": (
        [SUMMED, "b = derived(np.squeeze(t, -1))"],
        {"a": SQUARE, "t": ROWS, "b": COLUMNS},
        ["b = sum(a, axis=1)"],
    ),
    "squeeze(neg(a), k)": (
        *squeezed("-t"),
        ["product.1 = sum(a, axis=1)", "b = neg(product.1)"],
    ),
    "squeeze(mul(c, a), k)": (
        *squeezed("2.0 * t"),
        ["product.1 = sum(a, axis=1)", "b = mul(2.0, product.1)"],
    ),
    "squeeze(mul(a, c), k)": (
        *squeezed("t * s"),
        ["product.1 = sum(a, axis=1)", "b = mul(product.1, s)"],
    ),
    "squeeze(truediv(a, c), k)": (
        *squeezed("t / s"),
        ["product.1 = sum(a, axis=1)", "b = truediv(product.1, s)"],
    ),
    "squeeze(truediv(c, a), k)": (
        *squeezed("s / t"),
        ["product.1 = sum(a, axis=1)", "b = truediv(s, product.1)"],
    ),
    "matmul(x, swapaxes(u, i, j))": (
        ["t = derived(np.swapaxes(x, 2, 1))", "b = derived(a @ t)"],
        {"a": SQUARE, "x": STACK, "t": STACK, "b": STACK},
        [
            "product.1 = transpose(a)",
            "product.2 = matmul_of_stack(x, product.1)",
            "b = swapaxes(product.2, 1, 2)",
        ],
    ),
    "transpose(transpose(a))": (
        ["t = np.transpose(a)", "b = derived(np.transpose(t))"],
        {"a": SQUARE, "t": SQUARE, "b": SQUARE},
        ["t = transpose(a)", "b = a"],
    ),
    "transpose(matmul(a, b))": (
        ["p = derived(a @ x)", "b = derived(np.transpose(p))"],
        {"a": SQUARE, "x": SQUARE, "p": SQUARE, "b": SQUARE},
        [
            "product.1 = transpose(x)",
            "product.2 = transpose(a)",
            "b = matmul(product.1, product.2)",
        ],
    ),
}
REPEATED = {
    "mul(c, pow(x, n))": (
        ["p = derived(x ** 2)", "b = derived(s * p)"],
        ["product.1 = mul(s, x)", "b = mul(product.1, x)"],
    ),
    "pow(x, n)": (["b = derived(x ** 2.0)"], ["b = mul(x, x)"]),
}
"""Rows about lines in loops."""


def lines_after(lines, kinds, name):
    text = "\n".join(["def f(a, x, s):", *(f"    {s}" for s in lines), "    return b"])
    return after(lambda f: rewritten(f, IDENTITIES[name]), text, kinds)[:-1]


def test_each_row_has_a_case():
    rows = [str(one.left) for group in IDENTITIES.values() for one in group]
    cases = [
        name.split(" rows")[0].split(" columns")[0] for name in (*CASES, *REPEATED)
    ]
    assert sorted(rows) == sorted(cases)


def name_of(left):
    return next(
        n for n, group in IDENTITIES.items() for one in group if str(one.left) == left
    )


@pytest.mark.parametrize("left", CASES)
def test_rows(left):
    lines, kinds, expected = CASES[left]
    name = name_of(left.split(" rows")[0].split(" columns")[0])
    assert lines_after(lines, kinds, name) == expected


@pytest.mark.parametrize("left", REPEATED)
def test_rows_about_loops(left):
    lines, expected = REPEATED[left]
    outside = lines_after(lines, {}, "squares")
    assert any("pow" in line for line in outside)
    looped = ["b = 0.0", "for i in range(3):", *(f"    {line}" for line in lines)]
    found = lines_after(looped, {}, "squares")
    assert [line.strip() for line in found[2:]] == expected


LEFT_AS_IT_IS = {
    "read elsewhere": [
        "p = derived(a @ x)",
        "b = derived(np.transpose(p))",
        "t = p * 1.0",
    ],
    "an operand changes": [
        "p = derived(a @ x)",
        "x = a",
        "b = derived(np.transpose(p))",
    ],
    "the function's own": ["p = a @ x", "b = np.transpose(p)"],
    "in another block": [
        "p = derived(a @ x)",
        "for i in range(3):",
        "    b = derived(np.transpose(p))",
    ],
}


@pytest.mark.parametrize("lines", LEFT_AS_IT_IS.values(), ids=LEFT_AS_IT_IS)
def test_lines_that_stay(lines):
    kinds = dict.fromkeys("axpbt", SQUARE)
    found = lines_after(["b = a * 1.0", *lines], kinds, "transposes")
    assert any("transpose(p)" in line for line in found)
    assert any("p = matmul(a, x)" in line for line in found)


def test_a_sum_that_is_read_in_between_stays():
    lines = ["b = stored(a, x, 0.0)", "t = b * 1.0", "b = index_add(b, x, s)", "s = t"]
    kinds = {"a": COLUMNS, "b": COLUMNS, "t": COLUMNS, "s": COLUMNS}
    assert any("0.0" in line for line in lines_after(lines, kinds, "scatters"))


def test_what_is_added_to_itself_stays():
    lines = ["a = stored(a, x, 0.0)", "a = index_add(a, x, a)", "b = a"]
    found = lines_after(lines, {"a": COLUMNS, "b": COLUMNS}, "scatters")
    assert found == ["a = stored(a, x, 0.0)", "a = index_add(a, x, a)", "b = a"]


def test_nothing_moves_behind_an_addition_in_place():
    lines = ["t = derived(np.transpose(a))", "p = derived(t @ x)"]
    lines += ["a = iadd(a, s)", "b = derived(np.transpose(p))"]
    found = lines_after(lines, dict.fromkeys("axpbts", SQUARE), "transposes")
    assert "b = transpose(p)" in found


def test_what_was_left_out_is_not_read():
    lines = [
        "p = derived(a @ x)",
        "t = derived(np.transpose(p))",
        "b = derived(np.transpose(t))",
    ]
    found = lines_after(lines, dict.fromkeys("axpbt", SQUARE), "transposes")
    assert not any("p = " in line for line in found)
    assert not any("= p" in line for line in found)
