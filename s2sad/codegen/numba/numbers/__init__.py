"""Numbers in forms that Numba's types hold: None, whole powers, complex numbers."""
