"""Lists and stacks in forms that Numba compiles; counts that tell their lengths."""
