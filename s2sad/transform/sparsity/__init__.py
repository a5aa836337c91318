"""What each number depends on, and sweeps that carry several columns."""
