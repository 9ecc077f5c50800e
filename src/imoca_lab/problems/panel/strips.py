"""Buckling of thin-walled prismatic members by the semi-analytical finite strip method [Cheung1976].

The member is cut lengthwise into flat strips. Along the length every displacement is one half wave family,
``sin`` or ``cos`` of ``k y`` with ``k = m pi / length``, which satisfies simply supported ends exactly; across a
strip the in-plane displacements u, v are linear and the deflection w is cubic. Uniform compression. Units: N, m.
"""

from contextlib import suppress
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import coo_matrix, csc_matrix
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from imoca.arrays import Array, IntArray

N_PER_NODE = 4  # degrees of freedom: U across, V along, W up, rotation about the length
LARGEST_DENSE = 120  # degrees of freedom up to which dense algebra is faster
EIGENVALUE_TOLERANCE = 1e-8  # relative; the strips themselves are good to 1e-3
SYMMETRIC: dict[str, Any] = {"permc_spec": "MMD_AT_PLUS_A", "options": {"SymmetricMode": True}}  # how to factorise
GAUSS_POINTS, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(4)  # exact for products of two cubics


@dataclass(frozen=True)
class Material:
    """An isotropic elastic material."""

    youngs_modulus: float  # Pa
    poisson_ratio: float

    @property
    def plate_modulus(self) -> float:
        return self.youngs_modulus / (1.0 - self.poisson_ratio**2)

    @property
    def shear_modulus(self) -> float:
        return self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))


STEEL = Material(206e9, 0.3)


@dataclass(frozen=True)
class CrossSection:
    """Flat strips between nodes; the fixed degrees of freedom stay zero along the whole length."""

    nodes: Array  # (n, 2) m, across and up
    strips: IntArray  # (s, 2) its two nodes
    thickness: Array  # (s,) m
    fixed: IntArray  # (f,) node * N_PER_NODE + which of U, V, W, rotation
    material: Material = STEEL

    @property
    def n_free(self) -> int:
        return N_PER_NODE * len(self.nodes) - len(self.fixed)


@dataclass(frozen=True)
class StripMatrices:
    """Stiffness ``K(k)`` as the coefficients of 1, k, k^2, k^4, and geometric stiffness per k^2 at unit stress.

    All share one sparsity pattern; both lack the factor length/2, which the eigenvalues do not see.
    """

    pattern: csc_matrix
    stiffness: Array  # (4, nnz)
    geometric: Array  # (nnz,)

    def at(self, k: float) -> tuple[csc_matrix, csc_matrix]:
        """Geometric and elastic stiffness of one half-wave number."""
        powers = np.array([1.0, k, k**2, k**4])
        return self._matrix(k**2 * self.geometric), self._matrix(powers @ self.stiffness)

    def _matrix(self, data: Array) -> csc_matrix:
        return csc_matrix((data, self.pattern.indices, self.pattern.indptr), shape=self.pattern.shape)


def critical_stresses(
    section: CrossSection,
    length: float,  # m, between the supports
    half_waves: IntArray,  # (w,) numbers of half waves along the length
) -> Array:  # (w,) Pa
    """The lowest stress at which the member buckles into each number of half waves."""
    matrices = assemble(section)
    return np.array([_critical_stress(*matrices.at(m * pi / length)) for m in half_waves.tolist()])


def lowest_critical_stress(section: CrossSection, length: float, half_waves: IntArray) -> float:  # Pa
    """The least of ``critical_stresses``; numbers of half waves that need more than another are only shown to do so.

    Three times as fast for large sections, slower for small ones.
    """
    matrices = assemble(section)
    lowest = np.inf
    for m in half_waves.tolist():
        geometric, stiffness = matrices.at(m * pi / length)
        if np.isinf(lowest) or not _is_stable(stiffness - lowest * geometric):
            lowest = _critical_stress(geometric, stiffness)
    return lowest


def _is_stable(stiffness: csc_matrix) -> bool:
    """Whether the matrix is positive definite: by Sylvester's law, when all pivots on the diagonal are positive."""
    factors = splu(stiffness, diag_pivot_thresh=0.0, **SYMMETRIC)
    return bool((factors.U.diagonal() > 0.0).all())


def _critical_stress(geometric: csc_matrix, stiffness: csc_matrix) -> float:
    """One over the largest eigenvalue of ``geometric phi = lambda stiffness phi``."""
    if stiffness.shape[0] > LARGEST_DENSE:
        with suppress(ArpackNoConvergence):  # modes too close together for it
            return 1.0 / _largest_sparse(geometric, stiffness)
    last = stiffness.shape[0] - 1
    largest = eigh(geometric.toarray(), stiffness.toarray(), eigvals_only=True, subset_by_index=[last, last])
    return 1.0 / float(largest[0])


def _largest_sparse(geometric: csc_matrix, stiffness: csc_matrix) -> float:
    solve = splu(stiffness, **SYMMETRIC).solve
    largest = eigsh(
        geometric,
        k=1,
        M=stiffness,
        Minv=LinearOperator(stiffness.shape, matvec=solve, dtype=np.float64),
        which="LA",
        v0=np.ones(stiffness.shape[0]),  # a fixed start, neither symmetric nor antisymmetric: runs are repeatable
        tol=EIGENVALUE_TOLERANCE,
        return_eigenvectors=False,
    )
    return float(largest[0])


def assemble(section: CrossSection) -> StripMatrices:
    """The matrices of the whole cross-section without its fixed degrees of freedom."""
    terms = _strip_terms(section)  # (5, s, 8, 8)
    n_all = N_PER_NODE * len(section.nodes)
    numbers = (N_PER_NODE * section.strips[:, :, None] + np.arange(N_PER_NODE)).reshape(len(section.strips), 8)
    free = np.setdiff1d(np.arange(n_all), section.fixed)
    renumbered = np.full(n_all, -1)
    renumbered[free] = np.arange(len(free))
    rows = np.broadcast_to(renumbered[numbers][:, :, None], terms.shape[1:])
    columns = np.broadcast_to(renumbered[numbers][:, None, :], terms.shape[1:])
    kept = (rows >= 0) & (columns >= 0)

    def total(term: Array) -> csc_matrix:
        entries = (term[kept], (rows[kept], columns[kept]))
        return coo_matrix(entries, shape=(len(free), len(free))).tocsc()  # keeps zeros: one pattern for all

    matrices = [total(term) for term in terms]
    return StripMatrices(matrices[0], np.array([matrix.data for matrix in matrices[:4]]), matrices[4].data)


def _strip_terms(section: CrossSection) -> Array:  # (5, s, 8, 8): coefficients of 1, k, k^2, k^4; geometric
    """Integrals over the width of each strip, turned to global directions.

    Membrane strains ``u'``, ``-k v``, ``k u + v'``; curvatures ``w''``, ``-k^2 w``, ``k w'``.
    """
    along = section.nodes[section.strips[:, 1]] - section.nodes[section.strips[:, 0]]
    width = np.hypot(along[:, 0], along[:, 1])
    u, du, v, dv, w, dw, ddw = _shape_functions(width)
    material, t = section.material, section.thickness
    nu = material.poisson_ratio
    membrane, shear = t * material.plate_modulus, t * material.shear_modulus
    bending = material.plate_modulus * t**3 / 12.0

    def integral(factor: Array, left: Array, right: Array) -> Array:
        """Symmetric part of the product, integrated across; (s, g, 8) twice -> (s, 8, 8)."""
        weights = 0.5 * width[:, None] * GAUSS_WEIGHTS * factor[:, None]
        product = np.einsum("sg,sgi,sgj->sij", weights, left, right)
        return np.asarray(0.5 * (product + product.transpose(0, 2, 1)))

    terms = [
        integral(membrane, du, du) + integral(shear, dv, dv) + integral(bending, ddw, ddw),
        integral(-2.0 * nu * membrane, du, v) + integral(2.0 * shear, u, dv),
        integral(membrane, v, v)
        + integral(shear, u, u)
        + integral(-2.0 * nu * bending, w, ddw)
        + integral(2.0 * (1.0 - nu) * bending, dw, dw),
        integral(bending, w, w),
        integral(t, u, u) + integral(t, v, v) + integral(t, w, w),
    ]
    turn = _rotations(along / width[:, None])
    return np.einsum("sai,psab,sbj->psij", turn, np.array(terms), turn)


def _shape_functions(width: Array) -> tuple[Array, ...]:  # (s,) -> seven of (s, g, 8)
    """u, u', v, v', w, w', w'' at the Gauss points by the local degrees of freedom u, v, w, w' of both nodes."""
    xi = 0.5 * (GAUSS_POINTS + 1.0)
    b = width[:, None]
    u, du, v, dv, w, dw, ddw = np.zeros((7, len(width), len(xi), 2 * N_PER_NODE))
    for value, slope, column in ((u, du, 0), (v, dv, 1)):
        value[..., column], value[..., column + 4] = 1.0 - xi, xi
        slope[..., column], slope[..., column + 4] = -1.0 / b, 1.0 / b
    w[..., 2], w[..., 6] = 1.0 - 3.0 * xi**2 + 2.0 * xi**3, 3.0 * xi**2 - 2.0 * xi**3
    w[..., 3], w[..., 7] = b * (xi - 2.0 * xi**2 + xi**3), b * (xi**3 - xi**2)
    dw[..., 2], dw[..., 6] = 6.0 * (xi**2 - xi) / b, 6.0 * (xi - xi**2) / b
    dw[..., 3], dw[..., 7] = 1.0 - 4.0 * xi + 3.0 * xi**2, 3.0 * xi**2 - 2.0 * xi
    ddw[..., 2], ddw[..., 6] = (12.0 * xi - 6.0) / b**2, (6.0 - 12.0 * xi) / b**2
    ddw[..., 3], ddw[..., 7] = (6.0 * xi - 4.0) / b, (6.0 * xi - 2.0) / b
    return u, du, v, dv, w, dw, ddw


def _rotations(direction: Array) -> Array:  # (s, 2) -> (s, 8, 8)
    """Local from global degrees of freedom: u = c U + s W, w = -s U + c W; V and the rotation stay."""
    turn = np.zeros((len(direction), 8, 8))
    for node in (0, N_PER_NODE):
        turn[:, node, node], turn[:, node, node + 2] = direction[:, 0], direction[:, 1]
        turn[:, node + 2, node], turn[:, node + 2, node + 2] = -direction[:, 1], direction[:, 0]
        turn[:, node + 1, node + 1] = turn[:, node + 3, node + 3] = 1.0
    return turn
