#!/bin/sh
# Make a virtual environment with pip in it, with the first Python that is new enough; say what is missing.
set -eu

venv=$1

works() {
    "$1/bin/python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# An environment that came with a copied or moved folder may point nowhere: then it is made again.
if works "$venv"; then
    exit 0
fi

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Debian splits ensurepip off into python3-venv, so there are three ways, tried in turn.
build() {
    rm -rf "$venv"
    "$1" -m venv "$venv" >/dev/null 2>&1 && works "$venv" && return 0
    rm -rf "$venv"
    "$1" -m virtualenv --quiet "$venv" >/dev/null 2>&1 && works "$venv" && return 0
    rm -rf "$venv"
    "$1" -m venv --without-pip "$venv" >/dev/null 2>&1 &&
        "$1" -m pip --quiet --disable-pip-version-check --python "$venv/bin/python" install pip \
            >/dev/null 2>&1 && works "$venv"
}

found=
for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    new_enough "$python" || continue
    found=$python
    echo "Making $venv with $("$python" --version) ..."
    if build "$python"; then
        exit 0
    fi
done

rm -rf "$venv"
if [ -z "$found" ]; then
    echo "toolcrib needs Python 3.11 or newer, and found none among: ${PYTHON:-python3 python3.14 ... python3.11}." >&2
    echo "Install one (Debian 12 or newer: apt-get install python3 python3-venv), or name one: make PYTHON=/path/to/python3 ..." >&2
else
    echo "$found cannot make a virtual environment with pip in it." >&2
    echo "On Debian and Ubuntu: apt-get install python3-venv   (then run make again)" >&2
fi
exit 1
