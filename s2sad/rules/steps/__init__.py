"""Rules of the operations that derivatives are made of."""
