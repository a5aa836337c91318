"""Rules for scikit-learn's functions that check arrays; read where it has been
imported."""
