"""Random programs, differentiated and compared with hyper-dual numbers."""
