"""What is there on some paths only: structures that may be None, keys of dicts."""
