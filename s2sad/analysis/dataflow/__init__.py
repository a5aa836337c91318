"""What holds at a place: names that are bound, live or known, and equations at hand."""
