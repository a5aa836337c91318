"""Programs with handlers: what a try had done when it raised."""
