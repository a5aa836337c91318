"""The functions that make iterators: builtins, and those of itertools."""
