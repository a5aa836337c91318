"""Fits of polynomials by least squares, through ``np.linalg.lstsq``."""

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """``np.polyfit(x, y, deg, rcond, w=w, cov=cov)``."""
    if full:
        rules.not_supported("np.polyfit with full=True", "take the coefficients alone")
    x, y = (v if rules.is_array(v) else np.asarray(v) for v in (x, y))
    powers = np.vander(x, deg + 1)
    if w is not None:
        w = w if rules.is_array(w) else np.asarray(w)
        powers = powers * w[:, None]
        y = y * (w[:, None] if rules.known_rank(y) == 2 else w)
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    columns = powers / scale
    scaled = np.linalg.lstsq(columns, y, rcond)[0]
    c = (scaled.T / scale).T
    if not cov:
        return c
    spread = np.linalg.inv(columns.T @ columns) / np.outer(scale, scale)
    if cov == "unscaled":
        return c, spread
    if rules.known_rank(y) != 1:
        rules.not_supported(
            "np.polyfit with cov= of several sets", "fit them one by one"
        )
    residuals = y - columns @ scaled
    return c, spread * (np.sum(residuals * residuals) / (len(x) - deg - 1))
