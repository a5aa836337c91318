"""What parameters without annotation are, by how functions read them."""
