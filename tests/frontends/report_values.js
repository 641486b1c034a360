// The values that a report computes in the page, beside those of `bl predict`: evaluates the page's own script.
//   node report_values.js REPORT DATA PREDICTIONS [WEIGHTS.json]     prints {"rows": N, "difference": LARGEST}
// DATA and PREDICTIONS are CSV files of the same rows; of a choice DATA is long, with columns situation and
// alternative. WEIGHTS: factors of constraint weights, {"L1.B1.C1": 0}.
"use strict";
const fs = require("fs");
const vm = require("vm");

function readTable(path) {
  const rows = [[""]];
  let quoted = false;
  const text = fs.readFileSync(path, "utf8");
  for (let i = 0; i < text.length; ++i) {
    const row = rows[rows.length - 1], c = text[i];
    if (quoted && c === '"' && text[i + 1] === '"') row[row.length - 1] += text[++i];
    else if (c === '"') quoted = !quoted;
    else if (!quoted && c === ",") row.push("");
    else if (!quoted && c === "\n") rows.push([""]);
    else row[row.length - 1] += c;
  }
  const names = rows[0];
  return rows.slice(1).filter((row) => row.length === names.length)
    .map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));
}

const [reportPath, dataPath, predictionsPath, weightsPath] = process.argv.slice(2);
const page = fs.readFileSync(reportPath, "utf8");
const document = JSON.parse(page.match(/<script type="application\/json" id="report-data">(.*?)<\/script>/s)[1]);
const script = page.match(/<script>\n(.*?)<\/script>/s)[1];
const sandbox = { atob: (text) => Buffer.from(text, "base64").toString("latin1") };
vm.createContext(sandbox);
vm.runInContext(`${script}\nglobalThis.BehaviorModel = BehaviorModel;`, sandbox);

const { BehaviorModel } = sandbox;
const model = BehaviorModel.prepare(document.model);
if (weightsPath) model.scaled = JSON.parse(fs.readFileSync(weightsPath, "utf8"));
const data = readTable(dataPath), predictions = readTable(predictionsPath);
let difference = 0;
const compare = (mine, theirs) => {
  const scale = Math.max(1, Math.abs(Number(theirs)));
  difference = Math.max(difference, Number.isFinite(mine) ? Math.abs(mine - Number(theirs)) / scale : Infinity);
};

if (document.kind === "choice") {
  const situations = new Map();
  for (const line of data) {
    if (!situations.has(line.situation)) situations.set(line.situation, []);
    situations.get(line.situation).push(line);
  }
  for (const expected of predictions) {
    const lines = situations.get(expected.situation);
    const attributes = model.classes.map((name) => lines.find((line) => line.alternative === name) || null);
    const { probabilities } = BehaviorModel.predictChoice(model, lines[0], attributes);
    model.classes.forEach((name, c) => compare(probabilities[c], expected[`p(${name})`]));
  }
} else {
  predictions.forEach((expected, i) => {
    if (document.kind === "class") {
      const { probabilities } = BehaviorModel.predictClasses(model, data[i]);
      model.classes.forEach((name, c) => compare(probabilities[c], expected[`p(${name})`]));
      return;
    }
    const prediction = BehaviorModel.predictNumber(model, data[i]), name = document.response;
    compare(prediction.mean, expected[name]);
    for (const q of [5, 50, 95]) compare(prediction.quantile(q / 100), expected[`${name} q${q}`]);
  });
}
console.log(JSON.stringify({ rows: predictions.length, difference }));
