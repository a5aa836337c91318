"""Solutions of equations, integrals and trajectories as operations."""
