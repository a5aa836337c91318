"""What loops run over: elements, streams, and what consumes them."""
