"""The kinds of arguments, by annotations, signatures and values."""
