"""Derivatives of whole programs: pairs, gradients, Jacobians, checkpoints."""
