"""What is known of numbers: which may be infinite, zero or fractions."""
