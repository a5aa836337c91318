"""Products, sums and quotients of derivatives, written as a person would."""
