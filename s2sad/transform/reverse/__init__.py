"""Reverse mode: the sweep backwards, and how both sweeps are put together."""
