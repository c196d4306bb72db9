# Sourced by the other scripts: makes .venv, installs depnet into it, and leaves $PY pointing at it.
# Does again only what changed since the last time. Not meant to be run by itself.
#
#   set_up GROUP...     dependency groups of pyproject.toml, beside `build`

# Tests and demos start hundreds of processes: where none may keep what Python compiled, each compiles everything anew.
unset PYTHONDONTWRITEBYTECODE

as_root() {  # run as root, if this user may
    if [ "$(id -u)" = 0 ]; then "$@"; elif sudo -n true 2>/dev/null; then sudo -n "$@"; else return 1; fi
}

system_packages() {  # system_packages NAME...: install them with apt where that may be done
    command -v apt-get >/dev/null || return 1
    echo "depnet: installing system packages: $*"
    { as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } >/dev/null
}

find_python() {  # the first Python that is new enough
    local p
    for p in "${DEPNET_PYTHON:-}" python3 python3.13 python3.12 python3.11; do
        [ -n "$p" ] && "$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$p"; return; }
    done
    return 1
}

find_chromium() {  # where Chromium is, for the explorer's tests and pictures
    local c
    for c in "${DEPNET_CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome; do
        [ -n "$c" ] && command -v "$c" && return
    done
    return 1
}

set_up_chromium() {  # Debian's, where it may be installed; without it the browser tests are skipped, and say so
    find_chromium >/dev/null && return
    { system_packages chromium-headless-shell || system_packages chromium; } 2>/dev/null && find_chromium >/dev/null && return
    echo "depnet: no Chromium could be installed here, so the explorer is NOT tested in a browser" >&2
    echo "depnet: (install it, apt-get install chromium-headless-shell, or name one in DEPNET_CHROMIUM; with CI=true those tests fail)" >&2
}

build_docs() {  # the site, where any warning and any link that leads nowhere is an error (group docs)
    rm -rf site
    "$PY" -m sphinx -W --keep-going -q -E -b html -d build/doctrees docs site && "$PY" -m tests.docs.links site
}

set_up() {
    local python wanted missing=() have
    python=$(find_python) || { echo "depnet: needs Python 3.11 or newer as python3 (or name it in DEPNET_PYTHON)" >&2; exit 1; }
    command -v c++ >/dev/null || command -v g++ >/dev/null || missing+=(g++)
    "$python" -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
    "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || missing+=(python3-dev)
    if [ ${#missing[@]} -gt 0 ]; then
        system_packages "${missing[@]}" || { echo "depnet: please install: ${missing[*]}" >&2; exit 1; }
    fi

    PY=.venv/bin/python
    [ -x "$PY" ] || { echo "depnet: creating .venv"; "$python" -m venv .venv; }
    mkdir -p .venv/stamps
    local quiet=(-q --disable-pip-version-check --no-compile) # Python compiles what is imported; most of it never is
    if [ ! -e .venv/stamps/pip ]; then
        "$PY" -m pip install "${quiet[@]}" --upgrade 'pip>=25.1' && touch .venv/stamps/pip
    fi

    # The browser comes from elsewhere than packages of Python: meanwhile.
    local browser=""
    case " $* " in *" test "*) set_up_chromium & browser=$! ;; esac

    # Dependencies again when pyproject.toml changed, the build when anything compiled did. Compiling needs the group
    # `build` alone, so that all else is installed meanwhile.
    local group flags=() name="groups" building=""
    wanted=$(cat pyproject.toml CMakeLists.txt $(find src/depnet/_native -name '*.[ch]pp' | sort) | sha256sum)
    have=$(cat .venv/stamps/build 2>/dev/null || true)
    # The build also writes the stubs of the kernels beside their sources, for mypy.
    if [ "$have" != "$wanted" ] || [ ! -e src/depnet/_native/learner.pyi ]; then
        "$PY" -m pip install "${quiet[@]}" --group build || exit 1
        echo "depnet: building"
        PATH="$PWD/.venv/bin:$PATH" "$PY" -m pip install "${quiet[@]}" --no-build-isolation --no-deps -e . &
        building=$!
    fi
    local dependencies
    dependencies=$(sha256sum <pyproject.toml)
    for group in build "$@"; do flags+=(--group "$group"); name="$name-$group"; done
    have=$(cat ".venv/stamps/$name" 2>/dev/null || true)
    if [ "$have" != "$dependencies" ]; then
        echo "depnet: installing dependencies (${*:-none beside the build})"
        "$PY" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' >.venv/stamps/own.txt
        "$PY" -m pip install "${quiet[@]}" -r .venv/stamps/own.txt "${flags[@]}" ||
            { [ -z "$building" ] || { kill $building 2>/dev/null; wait $building; }; exit 1; }
        echo "$dependencies" >".venv/stamps/$name"
    fi
    if [ -n "$building" ]; then
        wait $building || exit 1
        echo "$wanted" >.venv/stamps/build
    fi
    [ -z "$browser" ] || wait $browser
}
