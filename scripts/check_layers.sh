#!/usr/bin/env bash
# The include rule: data flows one way through the folders of src/, so a folder may name only
# those listed for it here (and itself, and the public errors and names). Exits 1 with the offending lines.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A may=(
  [base]=""
  [compute]="base"
  [data]="base"
  [metrics]="base"
  [features]="base data"
  [model]="base compute"
  [piecewise]="base compute model"
  [objective]="base compute model piecewise"
  [training]="base compute model objective"
  [inference]="base compute model objective training"
  [artifact]="base features model objective training"
  [gibbs]="base compute model objective piecewise"
  [zoo]="base compute model objective training gibbs inference"
  [explain]="base features model gibbs artifact inference"
  [api]="base compute data metrics features model piecewise objective training artifact gibbs inference zoo explain"
)

bad=0
fail() { echo "check_layers: $*"; bad=1; }

for path in src/*/; do
  folder=$(basename "$path")
  [[ -v may[$folder] ]] || { fail "src/$folder is in no rule; add it to scripts/check_layers.sh"; continue; }
  allowed=" $folder ${may[$folder]} "
  while IFS=: read -r file line text; do
    target=$(sed -E 's/.*"([^"]+)".*/\1/' <<<"$text")
    top=${target%%/*}
    if [[ $top == bl ]]; then
      [[ $folder == api || $target == bl/errors.hpp || $target == bl/names.hpp ]] || fail "$file:$line: src/$folder may not include $target"
    elif [[ $allowed != *" $top "* ]]; then
      fail "$file:$line: src/$folder may not include $target"
    fi
  done < <(grep -rnE '^#include "' "$path" --include='*.hpp' --include='*.cpp' || true)
done

# Public headers stand on their own; front ends see only them.
while IFS=: read -r file line text; do
  fail "$file:$line: $text"
done < <(grep -rnE '^#include "' include cli python examples --include='*.hpp' --include='*.cpp' 2>/dev/null |
         grep -vE '"bl/[a-z_]+\.(hpp|def)"|^(cli|python/bindings)/.*"[a-z_]+\.hpp"' || true)

# One parallel loop in the whole library; words that belong to one place.
while IFS=: read -r file line text; do
  fail "$file:$line: threads are started by base/parallel alone"
done < <(grep -rnE '#pragma omp|std::(j?thread|async)\b' src cli --include='*.hpp' --include='*.cpp' |
         grep -vE '^src/base/parallel\.|hardware_concurrency' || true)

# The library never prints, exits or aborts.
while IFS=: read -r file line text; do
  fail "$file:$line: the library does not print, exit or abort"
done < <(grep -rnE '\b(std::(cout|cerr|exit|abort|terminate)|fmt::print|printf|puts|abort\(\)|exit\()' src --include='*.hpp' --include='*.cpp' |
         grep -vE 'snprintf|//' || true)

exit "$bad"
