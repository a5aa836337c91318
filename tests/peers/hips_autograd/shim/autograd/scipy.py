"""SciPy's modules; a distribution is a module of its own in autograd."""

from scipy import integrate, linalg, signal, special, stats

MODULES = {
    "integrate": integrate,
    "linalg": linalg,
    "signal": signal,
    "special": special,
    "stats": stats,
}
for _name in "beta chi2 dirichlet gamma multivariate_normal norm poisson t".split():
    MODULES[f"stats.{_name}"] = getattr(stats, _name)
