"""`python -m benchmarks NAME [options]`: run the benchmark in benchmarks/NAME.py; without a name, list them.

Modules that begin with an underscore are what benchmarks share: tables (`_tables`, `_frames`, `_coded`), questions with
known answers (`_questions`, `_bif`), other libraries (`_peers`, `_boosters`, `_boosted_tables`, `_boosted_mixed`,
`_classifiers`, `_regressors`, `_circuits`, `_question_peers`, `_query_peers`, `_imputers`, `_pyagrum`), how good rows are
that were made (`_quality`, and beside another library `_sdmetrics`), the parts of `answers --by` (`_by`) and
`answers --raw` (`_raw` and what begins so), seconds (`_timing`), and whether a figure was reached (`_reach`).
"""

import importlib
import sys
from pathlib import Path


def main() -> int:
    names = sorted(p.stem for p in Path(__file__).parent.glob("[a-z]*.py"))
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        print(f"usage: python -m benchmarks {{{','.join(names)}}} [options]", file=sys.stderr)
        return 2
    try:
        result = importlib.import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:])
    except FileNotFoundError as error:
        wanted = "The folder of the tables and networks is named by --data, or by DEPNET_DATA."
        print(f"benchmarks: there is no {error.filename}. {wanted}", file=sys.stderr)
        return 2
    return int(result or 0)


if __name__ == "__main__":
    sys.exit(main())
