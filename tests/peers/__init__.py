"""Other packages' own test suites, run against s2sad."""
