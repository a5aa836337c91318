"""Tests of s2sad."""
