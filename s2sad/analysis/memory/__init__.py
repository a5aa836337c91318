"""Which names may share memory, who owns it, and how arrays lie in it."""
