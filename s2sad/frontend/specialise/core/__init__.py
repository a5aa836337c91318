"""The specialiser: its state, names, expressions and statements."""
