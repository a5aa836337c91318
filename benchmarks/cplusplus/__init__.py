"""Peers in C++, which overload its operators."""
