#!/usr/bin/env bash
# run.sh BL: real processes started by mpirun write the same model, byte for byte, as one, from one file or several; an
# error of the input is said once; a rank that fails alone ends all with its message; a rank that is killed ends the
# others, leaves the old model whole and a checkpoint from which any number of ranks goes on to the same bytes.
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

# Rows in several files, shared by more ranks than there are files.
head -1 data.csv >names
for part in 1 2 3; do { cat names; sed -n "$((2 + 200 * (part - 1))),$((1 + 200 * part))p" data.csv; } >rows-$part.csv; done
options="--target buys --ignore spent --epochs 6 --threads 1"
"$bl" fit 'rows-*.csv' $options --quiet -o one.bl
for size in 2 4 8; do
  ranks $size "$bl" fit 'rows-*.csv' $options --quiet -o several.bl
  cmp one.bl several.bl || fail "$size ranks give another model of several files"
done
"$bl" fit rows-1.csv rows-2.csv rows-3.csv $options --quiet -o listed.bl
cmp one.bl listed.bl || fail "files in a list give another model than a pattern"
ranks 2 "$bl" fit rows-1.csv $options --json -o json.bl >json
grep -q '"calls"' json || fail "--json does not say what was communicated"
if grep -q "every rank holds" json; then fail "the rows were not shared"; fi

# One rank that fails alone.
if timeout 60 mpirun --allow-run-as-root --oversubscribe --quiet -n 1 "$bl" fit data.csv $options --quiet -o bad.bl : \
  -n 1 "$bl" fit absent.csv $options --quiet -o bad.bl 2>error; then fail "a rank that fails was no error"; fi
grep -q "rank 1: absent.csv: cannot open" error || fail "the message of the rank that failed is not there: $(cat error)"
[[ ! -e bad.bl ]] || fail "a rank that failed left a model"

# A rank killed in the middle, after the first checkpoint, which is written after some seconds. How many epochs last
# that long depends on the machine: a fit that ends before is made four times as long.
killed_in_the_middle() { # epochs
  long="--target buys --ignore spent --layers 24,6 --members 1 --epochs $1 --patience 100000 --threads 1"
  cp one.bl old.bl
  ranks 3 "$bl" fit data.csv $long --quiet -o old.bl 2>/dev/null &
  starter=$!
  while [[ ! -e old.bl.checkpoint ]] && kill -0 $starter 2>/dev/null; do sleep 0.05; done
  local rank; rank=$(pgrep -n -f "^$bl fit data.csv $long") && kill -9 "$rank" && ! wait $starter
}
epochs=4000
until killed_in_the_middle $epochs; do
  ((epochs < 10000000)) || fail "no rank could be killed in the middle and end the fit with an error"
  epochs=$((4 * epochs))
done
cmp one.bl old.bl || fail "a killed rank harmed the old model"
[[ -e old.bl.checkpoint ]] || fail "a killed rank left no checkpoint"
ranks 2 "$bl" fit data.csv $long --resume --quiet -o old.bl
"$bl" fit data.csv $long --quiet -o whole.bl
cmp whole.bl old.bl || fail "the fit that went on ends with another model"
[[ ! -e old.bl.checkpoint ]] || fail "the checkpoint is still there after the fit"
