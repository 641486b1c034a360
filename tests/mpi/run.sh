#!/usr/bin/env bash
# run.sh BL: real processes started by mpirun write the same models, summaries and predictions, byte for byte, as one, from one
# file or several; an error of the input is said once; a rank that fails alone ends all with its message; a rank that is killed
# ends the others, leaves the old model whole and a checkpoint from which any number of ranks goes on to the same bytes.
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
    out.write("a,b,town,w,person,buys,spent\n")
    for i in range(600):
        a, b = random.gauss(0, 1), random.gauss(0, 1)
        town = random.choice(["north", "south", "west"])
        buys = "yes" if a - b + (town == "west") + random.gauss(0, 1) > 0 else "no"
        out.write(f"{a:.4f},{b:.4f},{town},{1 + i % 3},p{i // 6},{buys},{10 + 2 * a + random.gauss(0, 0.5):.3f}\n")
with open("trips.csv", "w") as out:
    out.write("who,w,income,mode,car_time,bus_time,car_cost,bus_cost\n")
    for i in range(240):
        income, time, cost = 1 + i % 3, [random.uniform(5, 40) for _ in "ab"], [random.uniform(1, 9) for _ in "ab"]
        taste = 0.3 + i // 6 % 2
        car, bus = (-0.1 * time[j] - taste * cost[j] / income + random.gauss(0, 1) for j in range(2))
        numbers = ",".join(f"{one:.2f}" for one in time + cost)
        out.write(f"p{i // 6},{1 + i // 6 % 2},{income},{'car' if car > bus else 'bus'},{numbers}\n")
choices = """[data]
choice = "mode"
weight = "w"
person = "who"
[[alternatives]]
name = "car"
[[alternatives]]
name = "bus"
[attributes]
time = "{}_time"
cost = "{}_cost"
"""
for name, more in {
    "linear": "",
    "network": '[utility]\nform = "network"\ncontext = ["income"]\n',
    "mixed": '[random]\ncost = "normal"\n[draws]\ncount = 50\n',
}.items():
    open(f"{name}.toml", "w").write(choices + more)
EOF

# Every kind of model, with weights and groups: fitted, and summarised where it has standard errors.
same() { # numbers of ranks, options of the summary or none, data, options of the fit
  local sizes=$1 summary=$2 data=$3; shift 3
  "$bl" fit "$data" "$@" --threads 1 --quiet -o one.bl
  if [[ $summary != none ]]; then "$bl" summary one.bl "$data" $summary --threads 1 --format json --save one.sum >one.txt; fi
  for size in $sizes; do
    ranks "$size" "$bl" fit "$data" "$@" --threads 1 --quiet -o several.bl
    cmp one.bl several.bl || fail "$size ranks give another model: $*"
    if [[ $summary == none ]]; then continue; fi
    ranks "$size" "$bl" summary several.bl "$data" $summary --threads 1 --format json --save several.sum >several.txt
    cmp one.txt several.txt && cmp one.sum several.sum || fail "$size ranks give another summary: $*"
  done
}
rows="--weight w --group person"
block="--single --heads 1,0,0 --utility identity --degree 2 --starts 2 --fractions 1:0:0"
same "2 3 4 8" "--cluster person" data.csv --target buys --ignore spent $rows $block
same "2 3 4 8" "--bootstrap 4" data.csv --target spent --ignore buys $rows $block
same "2 3 4 8" "--starts 1" data.csv --target spent --ignore buys --objective dsm $rows $block
same "2 3 4 8" "--covariance classical" trips.csv --choice linear.toml
same "2 3" "--covariance cluster" trips.csv --choice mixed.toml
same "2 3 4 8" none data.csv --target buys --ignore spent --epochs 6 $rows
same "2 3" none data.csv --target spent --ignore buys --epochs 6 $rows
same "2 3" none data.csv --target spent --ignore buys --objective dsm --layers 5,2 --epochs 6 $rows
same "2 3 8" none trips.csv --choice network.toml --layers 4,2 --epochs 6
same "2 3" none data.csv --target buys --ignore spent,person,w --layers 6,2 --identifiable --starts 2
awk -F, -v OFS=, 'NR % 9 == 5 { $6 = "" } 1' data.csv >gaps.csv # rows without a response
same "2 3" none gaps.csv --target buys --ignore spent,person,w --epochs 3
"$bl" evaluate one.bl gaps.csv --threads 1 >one.txt
ranks 3 "$bl" evaluate one.bl gaps.csv --threads 1 >several.txt
cmp one.txt several.txt && grep -q "rows without a response are left out: 67" one.txt || fail "rows without a response: $(cat several.txt)"
"$bl" fit - --target buys --epochs 2 --quiet -o one.bl <data.csv
ranks 3 "$bl" fit - --target buys --epochs 2 --quiet -o several.bl <data.csv
cmp one.bl several.bl || fail "standard input gives another model"
[[ $(ranks 3 "$bl" fit data.csv --target buys --epochs 2 --json -o json.bl | grep -c '"ranks": 3') == 1 ]] ||
  fail "--json does not say the number of ranks once"
if ranks 2 "$bl" fit data.csv --target nothing -o bad.bl 2>error; then fail "an error was no error"; fi
[[ $(grep -c "nothing" error) == 1 ]] || fail "the error was said $(grep -c nothing error) times"
[[ ! -e bad.bl ]] || fail "an error left a model"

# Rows in several files, shared by more ranks than there are files.
head -1 data.csv >names
for part in 1 2 3; do { cat names; sed -n "$((2 + 200 * (part - 1))),$((1 + 200 * part))p" data.csv; } >rows-$part.csv; done
options="--target buys --ignore spent,w,person --epochs 6 --threads 1"
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

# Predictions and metrics: in the order of the rows, written whole or not at all; only rank 0 prints.
"$bl" fit data.csv $options --refit none --quiet -o one.bl
python3 - <<'EOF'
rows = open("data.csv").read().splitlines()
with open("new.csv", "w") as out:  # three blocks of rows, with quoted cells that hold line ends
    out.write("id," + rows[0] + "\n")
    for i in range(9000):
        identity = f'"{i}\nof 9000"' if i % 7 == 0 else str(i)
        out.write(identity + "," + rows[1 + i % 600] + "\n")
EOF
"$bl" predict one.bl new.csv --carry id --threads 1 -o one.csv
for size in 2 3 4 8; do
  ranks $size "$bl" predict one.bl new.csv --carry id --threads 1 -o several.csv >printed
  cmp one.csv several.csv || fail "$size ranks give other predictions"
  [[ ! -s printed ]] || fail "$size ranks print"
done
"$bl" predict one.bl 'rows-*.csv' --threads 1 >one.csv
ranks 3 "$bl" predict one.bl rows-1.csv rows-2.csv rows-3.csv --threads 1 >several.csv
cmp one.csv several.csv || fail "predictions of several files differ"
ranks 2 "$bl" predict one.bl - --threads 1 <data.csv >several.csv
cmp one.csv several.csv || fail "predictions of standard input differ"
"$bl" predict one.bl data.csv --format jsonl --threads 1 >one.csv
gzip -k data.csv
ranks 2 "$bl" predict one.bl data.csv.gz --format jsonl --threads 1 >several.csv
cmp one.csv several.csv || fail "predictions of a packed file differ"
for part in all test; do
  "$bl" evaluate one.bl data.csv --part $part --json --threads 1 >one.txt
  for size in 2 3 8; do
    ranks $size "$bl" evaluate one.bl data.csv --part $part --json --threads 1 >several.txt
    cmp one.txt several.txt || fail "$size ranks give other metrics of $part"
  done
done
echo old >kept.csv
{ cat new.csv; echo '1,word,2,north,1,p,yes,3'; } >bad.csv
if ranks 3 "$bl" predict one.bl bad.csv -o kept.csv 2>error; then fail "a bad row was no error"; fi
[[ $(grep -c "bad.csv:10288: column 'a'" error) == 1 ]] || fail "the bad row is not named once: $(cat error)"
[[ $(cat kept.csv) == old ]] || fail "an error harmed the old predictions"

# One rank that fails alone.
if timeout 60 mpirun --allow-run-as-root --oversubscribe --quiet -n 1 "$bl" fit data.csv $options --quiet -o bad.bl : \
  -n 1 "$bl" fit absent.csv $options --quiet -o bad.bl 2>error; then fail "a rank that fails was no error"; fi
grep -q "rank 1: absent.csv: cannot open" error || fail "the message of the rank that failed is not there: $(cat error)"
[[ ! -e bad.bl ]] || fail "a rank that failed left a model"

# A rank killed in the middle, after the first checkpoint, which is written after some seconds. How many epochs last
# that long depends on the machine: a fit that ends before, or whose model is written when the rank is killed and its
# checkpoint gone, is made four times as long.
killed_in_the_middle() { # epochs
  long="--target buys --ignore spent,person --weight w --layers 24,6 --members 1 --epochs $1 --patience 100000 --threads 1"
  rm -f old.bl.checkpoint; cp one.bl old.bl
  ranks 3 "$bl" fit data.csv $long --quiet -o old.bl 2>/dev/null &
  starter=$!
  while [[ ! -e old.bl.checkpoint ]] && kill -0 $starter 2>/dev/null; do sleep 0.05; done
  local rank; rank=$(pgrep -n -f "^$bl fit data.csv $long") && kill -9 "$rank" && ! wait $starter && [[ -e old.bl.checkpoint ]]
}
epochs=250 # short, for programs that a sanitizer slows down
until killed_in_the_middle $epochs; do
  ((epochs < 10000000)) || fail "no rank could be killed in the middle, end the fit with an error and leave a checkpoint"
  epochs=$((4 * epochs))
done
cmp one.bl old.bl || fail "a killed rank harmed the old model"
ranks 2 "$bl" fit data.csv $long --resume --quiet -o old.bl
"$bl" fit data.csv $long --quiet -o whole.bl
cmp whole.bl old.bl || fail "the fit that went on ends with another model"
[[ ! -e old.bl.checkpoint ]] || fail "the checkpoint is still there after the fit"
