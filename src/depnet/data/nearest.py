"""What somebody may have meant: the nearest names, for error messages."""

import difflib
from collections.abc import Iterable


def nearest(wanted: object, names: Iterable[object], shown: int = 5) -> str:
    """One sentence that offers the names nearest to `wanted`, or some of all the names there are.

    >>> nearest("surived", ["class", "sex", "survived"])
    "Did you mean 'survived'?"
    """
    by_text = {str(name): name for name in names}
    close = difflib.get_close_matches(str(wanted), list(by_text), n=shown)
    if close:
        return f"Did you mean {' or '.join(repr(by_text[name]) for name in close)}?"
    some = [repr(name) for name in list(by_text.values())[:shown]]
    rest = len(by_text) - len(some)
    return f"There {'is' if len(by_text) == 1 else 'are'}: {', '.join(some)}{f' and {rest:,} more' if rest else ''}."
