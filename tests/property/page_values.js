// What the page of a report makes of rows: node page_values.js EVALUATE.js MODEL.json ROWS.json prints for
// each row {"row": cells, "points": [{"values": [], "class": 0}]} its encoded columns and its utilities at
// the points.
"use strict";
const fs = require("fs");
const vm = require("vm");

const [script, model, rows] = process.argv.slice(2).map((path) => fs.readFileSync(path, "utf8"));
const sandbox = { atob: (text) => Buffer.from(text, "base64").toString("latin1") };
vm.createContext(sandbox);
vm.runInContext(`${script}\nglobalThis.BehaviorModel = BehaviorModel;`, sandbox);
const { BehaviorModel } = sandbox;
const read = BehaviorModel.prepare(JSON.parse(model));
console.log(JSON.stringify(JSON.parse(rows).map(({ row, points }) => ({
  columns: BehaviorModel.encode(read, row),
  utilities: points.map((at) => BehaviorModel.utility(read, row, at.values, at.class)),
}))));
