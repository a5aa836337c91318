"""Functions that gradients may call, by subject; transpiled files carry copies of
them."""
