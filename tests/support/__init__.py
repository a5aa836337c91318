"""What several tests need: finite differences, operation counts."""
