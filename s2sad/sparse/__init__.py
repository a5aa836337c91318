"""Sparse Jacobians and Hessians: structure, colouring, compressed sweeps."""
