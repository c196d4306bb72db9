"""The instruction sets that this machine has, asked of the native core."""

from collections.abc import Iterator

import pytest

from depnet import Dataset, learn

ISAS = ("avx512", "avx2", "portable")


def available() -> Iterator[str]:
    """Those that the core does not refuse; any other error is one."""
    tiny = Dataset.from_codes([[0, 1]], [2, 2])
    with pytest.MonkeyPatch.context() as patch:
        for isa in ISAS:
            patch.setenv("DEPNET_ISA", isa)
            try:
                learn(tiny)
            except ValueError as error:
                if "this machine does not have these instructions" not in str(error):
                    raise
                continue
            yield isa


AVAILABLE = tuple(available())
