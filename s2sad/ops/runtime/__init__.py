"""Functions that derivatives may call, of shapes, rows, kinds of values and checks;
transpiled files carry copies of them."""
