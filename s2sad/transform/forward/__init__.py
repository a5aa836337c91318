"""Forward mode: tangents beside each line."""
