# Sourced by ../others.sh: features of Taichi, each against NumPy.
# shellcheck shell=bash disable=SC2154
need taichi taichi==1.7.4 numpy
export CUDALUA_SOFT_MEMORY=2G
each taichi 900 "$HERE/taichi_features.py"
