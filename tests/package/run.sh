#!/usr/bin/env bash
# Installs the package into a folder of its own, builds examples/cpp against it and runs it. Then the example is compiled in
# a project that adds this one as a folder and would be linked with all that the library needs: its command line, its packages and
# what it installs stay outside.
# usage: run.sh BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/installed" --component package >/dev/null
cmake --install "$1" --prefix "$work/installed" --component command_line >/dev/null
cmake -G Ninja -S "$2/examples/cpp" -B "$work/example" -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
cmake --build "$work/example"
"$work/example/predict_choices" | tee "$work/printed"
# A price of 3 with an income of 12 sells, 15 with 6 does not.
awk '$1 ~ /yes/ { found = 1; exit !($2 > 0.9 && $3 < 0.1) } END { if (!found) exit 1 }' "$work/printed"
"$work/installed/bin/bl" --version

mkdir "$work/parent"
cat >"$work/parent/CMakeLists.txt" <<EOT
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
add_subdirectory($2 bl EXCLUDE_FROM_ALL)
add_executable(example $2/examples/cpp/main.cpp)
target_link_libraries(example PRIVATE bl::bl)
if(TARGET bl_cli OR CPACK_GENERATOR)
  message(FATAL_ERROR "the command line or its packages came along")
endif()
EOT
cmake -G Ninja -S "$work/parent" -B "$work/parent/build" -DBL_CUDA=OFF >/dev/null
object=$(ninja -C "$work/parent/build" -t targets all | awk -F: '/example.dir.*main.cpp.o:/ { print $1 }')
cmake --build "$work/parent/build" --target "$object"
ninja -C "$work/parent/build" -t commands example | tail -1 >"$work/link"
for library in libbl.a openblas libhwy libfmt libz; do
  grep -q "$library" "$work/link" || { echo "the example is not linked with $library"; exit 1; }
done
cmake --install "$work/parent/build" --prefix "$work/parent/installed"
[[ ! -e $work/parent/installed ]] || { echo "the library installs itself with the project that adds it"; exit 1; }
