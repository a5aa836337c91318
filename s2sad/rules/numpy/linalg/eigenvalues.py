"""``numpy.linalg``: eigenvalues and eigenvectors.

``eigh`` and ``eigvalsh`` read one triangle of their argument, and the other one's
cotangent is zero. Sources: Giles, Collected matrix derivative results for forward and
reverse mode algorithmic differentiation, 2008, section 3.1; for complex matrices
Boeddeker et al., On the computation of complex-valued gradients with application to
statistically optimum beamforming, 2017.

A complex eigenvector is unique but for its phase. LAPACK takes that which makes one
element real: of Hermitian matrices the first (the last for the upper triangle), else
the largest.
"""

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics import decompositions, matrices
from s2sad.rules.numpy.kinds_of_arrays import real_dtype
from s2sad.rules.numpy.linalg import linalg
from s2sad.rules.steps.shape_steps import adjoint, conjugate, sum_of

EighResult = type(np.linalg.eigh(np.eye(1)))
EigResult = type(np.linalg.eig(np.eye(1)))
LOWER = ir.Known("L")


@rules.static_predicate
def is_upper(UPLO: ir.Kind) -> bool:
    """The upper triangle is read."""
    return str(rules.static_value(UPLO)).upper() == "U"


def columns(factors, x):
    """The columns of ``x`` times one factor each."""
    return x * np.expand_dims(factors, -2)


def eigh_kind(a: ir.Kind, UPLO: ir.Kind = LOWER) -> ir.Kind:
    rules.static_value(UPLO)
    axes = linalg.matrices("np.linalg.eigh", a)
    dtype = linalg.float_dtype(a)
    return ir.Structure(
        EighResult,
        ("eigenvalues", "eigenvectors"),
        (ir.Array(real_dtype(dtype), axes[:-1]), ir.Array(dtype, axes)),
    )


def real_row(vectors, UPLO):
    """The row of a matrix of eigenvectors that is real, or of its tangent."""
    return vectors[..., -1, :] if is_upper(UPLO) else vectors[..., 0, :]


def into_real_row(row, vectors, UPLO):
    """A row of changes of eigenvectors at its place."""
    n = vectors.shape[-1]
    place = np.eye(n, 1, 1 - n if is_upper(UPLO) else 0, rules.numpy_dtype(vectors))
    return place * np.expand_dims(row, -2)


@rules.reverse_of(np.linalg.eigh, kind=eigh_kind, complex=True)
def _eigh(a, UPLO="L", *, out, out_bar):
    values, vectors = out[0], out[1]
    vectors_bar = out_bar[1]
    inner = 0.0
    if not rules.is_literal_zero(out_bar[0]):
        inner = columns(out_bar[0], vectors) @ adjoint(vectors)
    if rules.is_literal_zero(vectors_bar):
        return linalg.onto_triangle(inner, is_upper(UPLO))
    if rules.is_complex_number(vectors):
        turns = np.imag(np.sum(np.conj(vectors) * vectors_bar, axis=-2))
        row = 1j * turns * decompositions.turning(np.real(real_row(vectors, UPLO)))
        vectors_bar = vectors_bar - into_real_row(row, vectors, UPLO)
    turned = decompositions.divided_by_gaps(adjoint(vectors) @ vectors_bar, values)
    inner = sum_of(inner, vectors @ turned @ adjoint(vectors))
    return linalg.onto_triangle(inner, is_upper(UPLO))


@rules.forward_of(np.linalg.eigh)
def _eigh_forward(a, UPLO="L", *, out, a_dot):
    values, vectors = out[0], out[1]
    read_dot = linalg.hermitian_of_triangle(a_dot, is_upper(UPLO))
    turned = adjoint(vectors) @ read_dot @ vectors
    values_dot = np.real(np.sum(conjugate(vectors) * (read_dot @ vectors), axis=-2))
    vectors_dot = vectors @ decompositions.divided_by_gaps(turned, values)
    if rules.is_complex_number(vectors):
        rates = np.imag(real_row(vectors_dot, UPLO))
        phases = -1j * rates * decompositions.turning(np.real(real_row(vectors, UPLO)))
        vectors_dot = vectors_dot + columns(phases, vectors)
    return values_dot, vectors_dot


def eigvalsh_kind(a: ir.Kind, UPLO: ir.Kind = LOWER) -> ir.Kind:
    rules.static_value(UPLO)
    axes = linalg.matrices("np.linalg.eigvalsh", a)
    return ir.Array(real_dtype(linalg.float_dtype(a)), axes[:-1])


def eigenvectors(a, UPLO):
    """Those of the Hermitian matrices of which a triangle is read."""
    return (np.linalg.eigh(a, UPLO) if is_upper(UPLO) else np.linalg.eigh(a))[1]


@rules.reverse_of(np.linalg.eigvalsh, kind=eigvalsh_kind, complex=True)
def _eigvalsh(a, UPLO="L", *, out, out_bar):
    vectors = eigenvectors(a, UPLO)
    inner = columns(out_bar, vectors) @ adjoint(vectors)
    return linalg.onto_triangle(inner, is_upper(UPLO))


@rules.forward_of(np.linalg.eigvalsh)
def _eigvalsh_forward(a, UPLO="L", *, out, a_dot):
    vectors = eigenvectors(a, UPLO)
    read_dot = linalg.hermitian_of_triangle(a_dot, is_upper(UPLO))
    return np.real(np.sum(conjugate(vectors) * (read_dot @ vectors), axis=-2))


# ------------------------------------------------------------------ any matrices


def complex_dtype(name: str, a: ir.Kind) -> str:
    """The dtype of complex numbers of the precision of a matrix."""
    dtype = linalg.float_dtype(a)
    if dtype is None:
        raise rules.CallRefused(
            f"{name} has a rule for arrays of known dtype", "annotate the array"
        )
    return str(np.result_type(dtype, np.complex64).name)


def eig_kind(a: ir.Kind) -> ir.Kind:
    axes, dtype = linalg.matrices("np.linalg.eig", a), complex_dtype("np.linalg.eig", a)
    items = ir.Array(dtype, axes[:-1]), ir.Array(dtype, axes)
    return ir.Structure(EigResult, ("eigenvalues", "eigenvectors"), items)


def eigvals_kind(a: ir.Kind) -> ir.Kind:
    axes = linalg.matrices("np.linalg.eigvals", a)
    return ir.Array(complex_dtype("np.linalg.eigvals", a), axes[:-1])


def of_type(cotangent, a):
    """A real matrix has a real cotangent."""
    return cotangent if rules.is_complex_number(a) else np.real(cotangent)


@rules.reverse_of(decompositions.complex_eig, kind=eig_kind, complex=True)
def _eig(a, *, out, out_bar):
    values, vectors = out[0], out[1]
    vectors_bar = out_bar[1]
    inner = 0.0
    if not rules.is_literal_zero(vectors_bar):
        # Eigenvectors have the length 1 and one element that is real.
        products = np.sum(np.conj(vectors) * vectors_bar, axis=-2)
        marks = decompositions.real_places(vectors)
        elements = np.real(np.sum(marks * vectors, axis=-2))
        along = columns(np.real(products), vectors)
        vectors_bar = vectors_bar - along
        vectors_bar = vectors_bar - columns(1j * np.imag(products) / elements, marks)
        inner = decompositions.divided_by_gaps(
            adjoint(vectors) @ vectors_bar, np.conj(values)
        )
        inner = inner @ adjoint(vectors)
    if not rules.is_literal_zero(out_bar[0]):
        rows = np.expand_dims(out_bar[0], -1) * adjoint(vectors)
        inner = sum_of(inner, rows)
    return of_type(matrices.solve_or_nan(adjoint(vectors), inner), a)


@rules.forward_of(decompositions.complex_eig)
def _eig_forward(a, *, out, a_dot):
    values, vectors = out[0], out[1]
    turned = matrices.solve_or_nan(vectors, a_dot @ vectors)
    values_dot = np.diagonal(turned, 0, -2, -1)
    vectors_dot = vectors @ decompositions.divided_by_gaps(turned, values)
    marks = decompositions.real_places(vectors)
    elements = np.real(np.sum(marks * vectors, axis=-2))
    rates = np.imag(np.sum(marks * vectors_dot, axis=-2)) / elements
    growth = np.real(np.sum(np.conj(vectors) * vectors_dot, axis=-2))
    return values_dot, vectors_dot - columns(growth + 1j * rates, vectors)


def vectors_of(a, values):
    """The eigenvectors in the order of these eigenvalues: ``eigvals`` and ``eig`` may
    give them in different orders."""
    found = decompositions.complex_eig(a)
    places = np.expand_dims(decompositions.nearest_places(values, found[0]), -2)
    return np.take_along_axis(found[1], places, axis=-1)


@rules.reverse_of(decompositions.complex_eigvals, kind=eigvals_kind, complex=True)
def _eigvals(a, *, out, out_bar):
    rows = adjoint(vectors_of(a, out))
    inner = np.expand_dims(out_bar, -1) * rows
    return of_type(matrices.solve_or_nan(rows, inner), a)


@rules.forward_of(decompositions.complex_eigvals)
def _eigvals_forward(a, *, out, a_dot):
    vectors = vectors_of(a, out)
    return np.diagonal(matrices.solve_or_nan(vectors, a_dot @ vectors), 0, -2, -1)


def places_kind(values: ir.Kind, found: ir.Kind) -> ir.Kind:
    return ir.Array("int64", linalg.matrices("np.linalg.eigvals", values))


def marks_kind(vectors: ir.Kind) -> ir.Kind:
    return vectors


rules.without_derivative(decompositions.nearest_places, kind=places_kind)
rules.without_derivative(decompositions.real_places, kind=marks_kind)
