"""Lists, dicts and objects that are kept as they are, in derivatives of all sorts."""
