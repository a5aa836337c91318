"""The kinds of arguments, by their values, and the forms of what is kept."""
