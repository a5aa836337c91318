"""Lists, dicts and sets: making, reading and changing them."""
