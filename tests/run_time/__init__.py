"""Programs over lists, dicts and objects that are kept as they are."""
