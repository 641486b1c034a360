// What the page of a report makes of rows: node page_encode.js EVALUATE.js MODEL.json ROWS.json prints a list per row.
"use strict";
const fs = require("fs");
const vm = require("vm");

const [script, model, rows] = process.argv.slice(2).map((path) => fs.readFileSync(path, "utf8"));
const sandbox = {};
vm.createContext(sandbox);
vm.runInContext(`${script}\nglobalThis.BehaviorModel = BehaviorModel;`, sandbox);
const read = JSON.parse(model);
console.log(JSON.stringify(JSON.parse(rows).map((row) => sandbox.BehaviorModel.encode(read, row))));
