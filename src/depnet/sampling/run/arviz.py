"""Rows of `sample` as ArviZ data, for its plots and diagnostics."""

from typing import Any

from depnet.data import Dataset
from depnet.errors import SamplingError
from depnet.sampling.run.diagnostics import by_chain


def to_arviz(dataset: Dataset, chains: int) -> Any:
    """Rows drawn from `chains` chains as the `posterior` group of an ArviZ DataTree.

    Each variable is an array of codes [chain, draw] under its own name; its states' labels are in the
    attribute `states`. Needs the extra `arviz` (pip install 'depnet[arviz]').
    """
    try:
        import arviz_base
    except ImportError:
        raise SamplingError(
            "the export to ArviZ needs the package arviz-base: pip install 'depnet[arviz]'."
        ) from None
    draws = by_chain(dataset, chains)
    variables = dataset.domain.variables
    posterior = {variable.name: draws[:, :, i] for i, variable in enumerate(variables)}
    tree = arviz_base.from_dict({"posterior": posterior})
    for variable in variables:
        tree["posterior"][variable.name].attrs["states"] = list(variable.states)
    return tree
