"""The errors depnet raises on purpose: each says who, what was expected, what came, what to do."""


class DepnetError(Exception):
    """Base of every error that depnet raises on purpose."""


class DataError(DepnetError, ValueError):
    """A table, a domain or a code that is not what it claims to be."""


class DistributionError(DepnetError, ValueError):
    """A tensor that is no distribution, or not one on the joint domain it is used on."""


class ModelError(DepnetError, ValueError):
    """Parts of a network that do not fit together."""


class ModelFileError(ModelError):
    """A model file that cannot be trusted: the message says where in the file, and what is wrong."""


class EvidenceError(DepnetError, ValueError):
    """Evidence that names an unknown variable or state, or that leaves nothing possible."""


class ScanError(DepnetError, ValueError):
    """A scan that does not fit the network: weights or an order over other nodes."""


class DomainTooLargeError(DepnetError, ValueError):
    """A joint domain with too many states for a dense computation; says its size and the way out."""


class ReducibleError(DepnetError, ValueError):
    """A chain with several recurrent classes where one law was asked for; names the classes."""


class LearningError(DepnetError, ValueError):
    """A penalty, a candidate strategy or an option that learning cannot work with."""
