"""Where results are stored: in place, in buffers that are handed over, in lists."""
