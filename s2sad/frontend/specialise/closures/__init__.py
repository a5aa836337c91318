"""Functions that are made inside the program: written out where they are called, or
records where only the run knows which one is called."""
