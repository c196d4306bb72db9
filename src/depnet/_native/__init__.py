"""C++ kernels: arrays in, arrays out. They do not validate, own no Python objects and release the GIL.

Every kernel has a slow twin in `tests/reference/`, written to be read, and a property test that the
two are equal.
"""
