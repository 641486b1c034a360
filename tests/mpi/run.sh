#!/usr/bin/env bash
# run.sh BL: real processes started by mpirun write the same model, byte for byte, as one; an error of the input is
# said once; a rank that is killed ends the others and leaves the old model whole.
set -euo pipefail
bl=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "mpi: $*" >&2; exit 1; }
ranks() { mpirun --allow-run-as-root --oversubscribe --quiet -n "$@"; }
python3 - <<'EOF'
import random
random.seed(1)
with open("data.csv", "w") as out:
    out.write("a,b,town,buys,spent\n")
    for _ in range(600):
        a, b = random.gauss(0, 1), random.gauss(0, 1)
        town = random.choice(["north", "south", "west"])
        buys = "yes" if a - b + (town == "west") + random.gauss(0, 1) > 0 else "no"
        out.write(f"{a:.4f},{b:.4f},{town},{buys},{10 + 2 * a + random.gauss(0, 0.5):.3f}\n")
EOF
for options in "--target buys --ignore spent --epochs 6" "--target spent --ignore buys --epochs 6" \
  "--target buys --ignore spent --layers 6,2 --identifiable --starts 2" \
  "--target spent --ignore buys --objective dsm --layers 5,2 --epochs 6"; do
  "$bl" fit data.csv $options --threads 1 --quiet -o one.bl
  for size in 2 3; do
    ranks $size "$bl" fit data.csv $options --threads 1 --quiet -o several.bl
    cmp one.bl several.bl || fail "$size ranks give another model: $options"
  done
done
[[ $(ranks 3 "$bl" fit data.csv --target buys --epochs 2 --json -o json.bl | grep -c '"ranks": 3') == 1 ]] ||
  fail "--json does not say the number of ranks once"
if ranks 2 "$bl" fit data.csv --target nothing -o bad.bl 2>error; then fail "an error was no error"; fi
[[ $(grep -c "nothing" error) == 1 ]] || fail "the error was said $(grep -c nothing error) times"
[[ ! -e bad.bl ]] || fail "an error left a model"
cp one.bl old.bl
ranks 2 "$bl" fit data.csv --target buys --patience 100000 --epochs 10000000 --quiet -o old.bl 2>/dev/null &
starter=$!
sleep 3
victim=$(pgrep -n -f "^$bl fit data.csv --target buys --patience 100000")
kill -9 "$victim"
if wait $starter; then fail "a killed rank was no error"; fi
cmp one.bl old.bl || fail "a killed rank harmed the old model"
