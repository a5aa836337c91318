"""What scikit-learn's checks of arguments come to."""
