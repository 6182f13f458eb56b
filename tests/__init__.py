"""Tests of layoutsolver."""
