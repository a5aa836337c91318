"""Derivatives as files: what a text needs beside itself, and how it is written down."""
