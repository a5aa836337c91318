"""Vector mode: many tangents or cotangents along one more axis."""
