"""`python -m layoutsolver`."""

from layoutsolver.cli.main import run

run()
