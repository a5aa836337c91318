"""Programs that many tangents or cotangents are handed to."""
