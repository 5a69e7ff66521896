"""The layer test; scripts/layers is the program."""
