#!/usr/bin/env bash
# check_hardening.sh PROGRAM: it is position-independent, and was built and linked with the defences of
# cmake/hardening.cmake.
set -euo pipefail
program=$1
missing=0
require() { # what it is, a pattern, the output of a readelf
  grep -q "$2" <<<"$3" || { echo "check_hardening: $program: $1 is missing" >&2; missing=1; }
}
require "position independence" "DYN (" "$(readelf -h "$program")"
require "RELRO" GNU_RELRO "$(readelf -lW "$program")"
require "immediate binding" "BIND_NOW\|FLAGS_1.* NOW" "$(readelf -dW "$program")"
require "the stack protector" __stack_chk_fail "$(readelf -sW "$program")"
require "FORTIFY" "__[a-z]*_chk@" "$(readelf -sW "$program")"
exit $missing
