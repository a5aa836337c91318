"""The text of a function, its syntax tree, and what names in it mean."""
