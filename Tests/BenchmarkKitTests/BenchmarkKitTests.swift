// Module tests.
