"""Calls whose derivative is zero everywhere: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import bisect
import math
import operator

import numpy as np
from scipy import special

from tests.rules.cases.elements import ANY, INTS, MASK, POSITIVE, ROW, VECTOR
from tests.rules.cases.form import LiteralFloat, LiteralInt, case

CASES = [
    *(
        case(f, x, y, wrt=())
        for f in (
            operator.lt, operator.le, operator.gt, operator.ge, operator.eq,
            operator.ne, operator.floordiv, np.less, np.less_equal, np.greater,
            np.greater_equal, np.equal, np.not_equal, np.logical_and, np.logical_or,
            np.logical_xor, np.floor_divide, np.isclose,
        )
        for x, y in ((ANY, ROW), (1.5, 2.5), (ANY, 2.0), (np.float32(2.0), 1.5))
    ),
    *(
        case(f, x, y, wrt=())
        for f in (
            operator.and_, operator.or_, operator.xor, np.bitwise_and, np.bitwise_or,
            np.bitwise_xor,
        )
        for x, y in ((MASK, MASK), (INTS, 3), (6, 3), (MASK, True))
    ),
    *(case(f, INTS, 2, wrt=()) for f in (operator.lshift, operator.rshift)),
    *(case(f, INTS, 2, wrt=()) for f in (np.left_shift, np.right_shift, np.gcd, np.lcm)),
    *(case(f, 12, 2, wrt=()) for f in (operator.lshift, operator.rshift)),
    *(case(operator.invert, x, wrt=()) for x in (INTS, MASK, 5, np.int8(3))),
    *(case(operator.not_, x, wrt=()) for x in (1.5, 0, np.float64(1.0))),
    *(case(f, 1.5, None, wrt=()) for f in (operator.is_, operator.is_not)),
    case(operator.contains, (1, 2), LiteralInt(2), wrt=()),
    *(
        case(f, x, wrt=())
        for f in (
            np.logical_not, np.isnan, np.isfinite, np.isinf, np.isposinf, np.isneginf,
            np.signbit, np.spacing, np.sign, np.floor, np.ceil, np.trunc, np.rint,
            np.round, np.around, np.int64, np.int32, np.bool_, np.uint8,
        )
        for x in (POSITIVE, POSITIVE.astype("float32"), 1.5, np.float32(1.5))
    ),
    *(case(f, 1.5, wrt=()) for f in (int, bool, round)),
    *(case(f, np.float32(1.5), wrt=()) for f in (int, bool, round)),
    case(round, 1.567, 2, wrt=()),
    *(case(len, x, wrt=()) for x in (ANY, (1, 2, 3), "abc")),
    *(
        case(f, 1.5, wrt=())
        for f in (
            math.floor, math.ceil, math.trunc, math.ulp, math.isnan, math.isfinite,
            math.isinf,
        )
    ),
    *(case(f, 12, 18, wrt=()) for f in (math.gcd, math.lcm)),
    *(case(f, 7, 3, wrt=()) for f in (math.comb, math.perm)),
    *(case(f, [0.2, 0.5, 0.9], 0.5, wrt=()) for f in (bisect.bisect_left, bisect.bisect_right)),
    *(case(f, 9, wrt=()) for f in (math.factorial, math.isqrt, math.perm)),
    case(math.isclose, 1.0, 1.1, rel_tol=0.2, wrt=()),
    *(case(f, x, wrt=()) for f in (np.isreal, np.iscomplex) for x in (ANY, 1.5)),
    *(case(f, ANY, wrt=()) for f in (np.iscomplexobj, np.isrealobj, np.fix, np.argwhere)),
    *(case(np.isscalar, x, wrt=()) for x in (ANY, 1.5)),
    *(case(f, POSITIVE, wrt=()) for f in (np.int8, np.int16, np.uint16, np.uint32, np.uint64, np.longlong)),
    *(case(f, ANY, ROW, wrt=()) for f in (np.allclose, np.array_equal, np.array_equiv, np.isin)),
    *(case(np.invert, x, wrt=()) for x in (INTS, MASK)),
    *(case(np.size, x, wrt=()) for x in (ANY, 1.5)),
    case(np.digitize, ANY, np.array([-1.0, 0.5, 1.0]), wrt=()),
    case(np.argpartition, VECTOR, LiteralInt(2), wrt=()),
    case(np.linalg.matrix_rank, ANY, wrt=()),
    *(case(f, LiteralInt(5), wrt=()) for f in (np.hanning, np.hamming, np.bartlett, np.blackman)),
    *(
        case(f, LiteralInt(4), wrt=())
        for f in (
            np.polynomial.legendre.leggauss, np.polynomial.chebyshev.chebgauss,
            np.polynomial.hermite.hermgauss, np.polynomial.hermite_e.hermegauss,
            np.polynomial.laguerre.laggauss, special.roots_legendre, special.roots_hermite,
            special.roots_hermitenorm, special.roots_laguerre, special.roots_chebyt,
            special.roots_chebyu, special.roots_chebyc, special.roots_chebys,
            special.roots_sh_legendre, special.roots_sh_chebyt, special.roots_sh_chebyu,
        )
    ),
    *(case(f, LiteralInt(4), LiteralFloat(0.5), wrt=()) for f in (special.roots_genlaguerre, special.roots_gegenbauer)),
    *(case(f, LiteralInt(4), LiteralFloat(1.5), LiteralFloat(0.5), wrt=()) for f in (special.roots_jacobi, special.roots_sh_jacobi)),
]  # fmt: skip
