#!/usr/bin/env bash
# The include rule: data flows one way through the folders of src/, so a folder may name only
# those listed for it here (and itself, and the public errors and names). Exits 1 with the offending lines.
set -euo pipefail
cd "$(dirname "$0")/.."

core="base compute data metrics features model objective engine training inference random_utility artifact gibbs explain piecewise"
declare -A may=(
  [base]=""
  [compute]="base"
  [data]="base"
  [metrics]="base"
  [features]="base data"
  [model]="base compute"
  [piecewise]="base compute model"
  [objective]="base compute model piecewise"
  [engine]="base compute model objective gibbs"
  [training]="base compute model objective engine"
  [inference]="base compute model objective engine training"
  [random_utility]="base compute training inference"
  [artifact]="base features model objective engine training"
  [gibbs]="base compute model objective piecewise"
  [zoo]="base compute model objective engine training gibbs inference"
  [explain]="base data features model gibbs artifact inference"
  [plan]="base data features model objective engine training"
  [fitted]="$core plan"
  [predict]="$core plan fitted"
  [summary]="$core plan fitted"
  [fit]="$core plan fitted predict summary"
  [choice]="$core plan fitted summary fit"
  [economics]="$core plan fitted predict summary choice"
  [simplify]="$core plan fitted predict summary fit economics"
  [report]="$core plan fitted predict summary choice economics"
  [check]="$core plan fitted summary choice zoo"
  [evidence]="$core plan fitted predict check zoo"
  [api]="$core plan fitted predict summary fit choice economics"
)
# Folders above the mathematics speak in the types of the public headers; those below know only these.
speaks=" plan fitted predict summary fit choice economics simplify report check evidence api "
known=" bl/errors.hpp bl/names.hpp bl/version.hpp bl/choice_declaration.hpp bl/ranks.hpp "

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
      [[ $speaks == *" $folder "* || $known == *" $target "* ]] || fail "$file:$line: src/$folder may not include $target"
    elif [[ $allowed != *" $top "* ]]; then
      fail "$file:$line: src/$folder may not include $target"
    fi
  done < <(grep -rnE '^#include "' "$path" --include='*.hpp' --include='*.cpp' --include='*.cuh' --include='*.cu' || true)
done

# Which device computes is the business of the engine: above it, the plan of devices and their list alone know of one.
while IFS=: read -r file line text; do
  fail "$file:$line: engine/cuda is for src/engine, plan/device_plan and api/devices; ask plan_device"
done < <(grep -rnE '^#include "engine/cuda/' src --include='*.hpp' --include='*.cpp' |
         grep -vE '^src/(engine/|plan/device_plan\.cpp|api/devices\.cpp)' || true)

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

# Work runs on the context that it was given; the pool is inside it.
while IFS=: read -r file line text; do
  fail "$file:$line: threads come with the context (base/context.hpp)"
done < <(grep -rnE '\bThreadPool\b|"base/parallel\.hpp"' src --include='*.hpp' --include='*.cpp' --include='*.cuh' --include='*.cu' |
         grep -vE '^src/base/' || true)

# So does the time. The GPU's batcher waits by a clock of its own.
while IFS=: read -r file line text; do
  fail "$file:$line: seconds come with the context (base/context.hpp)"
done < <(grep -rnE '\bnow\(\)' src --include='*.hpp' --include='*.cpp' --include='*.cuh' --include='*.cu' |
         grep -vE '^src/(base/|engine/cuda/batcher\.)' || true)

# The library never prints, exits or aborts.
while IFS=: read -r file line text; do
  fail "$file:$line: the library does not print, exit or abort"
done < <(grep -rnE '\b(std::(cout|cerr|exit|abort|terminate)|fmt::print|printf|puts|abort\(\)|exit\()' src --include='*.hpp' --include='*.cpp' |
         grep -vE 'snprintf|//' || true)

# The library does not speak the command line: messages name `settings` and arguments, the front end spells them.
while IFS=: read -r file line text; do
  fail "$file:$line: words of the command line in a text of the library; name the setting in backquotes"
done < <(grep -rnE '"([^"\\]|\\.)*(--[a-z]|\bbl [a-z]+[ <])' src include --include='*.hpp' --include='*.cpp' --include='*.def' | grep -vE '^[^:]+:[0-9]+: *//' || true)
settings=$(sed -nE 's/^BL_(TEXT|CHOICE|NUMBER|INTEGER|FLAG)\((\w+),.*/\2/p' include/bl/settings.def | grep -v '^lambda$' | paste -sd'|')  # lambda is a symbol, too
while IFS=: read -r file line text; do
  fail "$file:$line: a setting without backquotes in a text of the library"
done < <(grep -rnE "\"([^\"\\\\]*[ (])?($settings) = ['{a-z0-9]" src --include='*.hpp' --include='*.cpp' || true)

exit "$bad"
