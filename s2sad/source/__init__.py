"""From functions to syntax: live or as text, and what annotations mean."""
