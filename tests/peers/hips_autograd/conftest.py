"""The shim is imported under another name than its place; see ``test_shim.py``."""

collect_ignore = ["shim"]
