"""Lists, dicts, tuples and objects that the program keeps as they are: what is read of
them, and what they are run over and asked for. The kinds are ``ir.Reference``."""
