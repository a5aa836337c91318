"""Times of generated derivatives, of compiling them, and of calling them."""
