"""The plots of benchmark runs; scripts/plot.py is the program."""
