"""Texts of what equations need: iterations, Jacobians, linear systems. They are
compiled into the programs of derivatives, and run where there are none."""

SOLVERS = {
    "fixed_point": ("direct", "gmres", "bicgstab", "iteration"),
    "root": ("direct", "gmres", "bicgstab"),
}
"""How the linear system of a derivative may be solved."""
