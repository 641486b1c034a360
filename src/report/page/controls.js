// The controls of the page: sliders for a row, switches for constraints, a factor for prices. State lives in one
// object that the link keeps.
const Controls = (() => {
  const CURVE_POINTS = 40, MAP_POINTS = 17;
  let report, model, state, shown;

  function element(name, attributes = {}, ...children) {
    const one = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) one.addEventListener(key.slice(2), value);
      else if (value === true) one.setAttribute(key, "");
      else if (value !== false && value !== null) one.setAttribute(key, value);
    }
    one.append(...children);
    return one;
  }

  // --- state and link

  function startState() {
    const row = {}, attributes = [];
    for (const column of report.columns || []) row[column.name] = column.value;
    for (const alternative of report.alternatives || []) {
      const values = {};
      for (const attribute of alternative.attributes) values[attribute.name] = attribute.value;
      attributes.push({ available: alternative.available, values });
    }
    const numbers = (report.columns || []).filter((c) => c.number);
    return { row, attributes, scaled: {}, column: numbers.length ? numbers[0].name : null, second: null, outcome: 0, utility: false };
  }

  function readLink() {
    const found = location.hash.match(/^#state=(.*)$/);
    if (!found) return;
    try {
      const saved = JSON.parse(decodeURIComponent(found[1]));
      for (const column of report.columns || [])
        if (saved.row && column.name in saved.row) state.row[column.name] = saved.row[column.name];
      (saved.attributes || []).forEach((one, a) => {
        if (!state.attributes[a]) return;
        state.attributes[a].available = Boolean(one.available);
        for (const name of Object.keys(state.attributes[a].values))
          if (Number.isFinite(one.values[name])) state.attributes[a].values[name] = one.values[name];
      });
      for (const name of report.constraints || [])
        if (saved.scaled && Number.isFinite(saved.scaled[name])) state.scaled[name] = saved.scaled[name];
    } catch (error) {
      return;  // a link that someone else made
    }
  }

  function link() {
    const { row, attributes, scaled } = state;
    return `#state=${encodeURIComponent(JSON.stringify({ row, attributes, scaled }))}`;
  }

  // --- prediction

  const chosenAttributes = (s) => s.attributes.map((one) => (one.available ? one.values : null));

  function outcomes(row, attributes) {
    if (report.kind === "number") return [BehaviorModel.predictNumber(model, row).mean];
    if (report.kind === "class") return BehaviorModel.predictClasses(model, row).probabilities;
    return BehaviorModel.predictChoice(model, row, attributes).probabilities;
  }

  function outcomeNames() {
    return report.kind === "number" ? [`mean of ${report.response}`] : model.classes.map((c) => `p(${c})`);
  }

  function showNumber(out) {
    const prediction = BehaviorModel.predictNumber(model, state.row);
    const q = (p) => Pictures.number(prediction.quantile(p));
    out.dataset.values = JSON.stringify({ mean: prediction.mean, median: prediction.quantile(0.5),
      lower: prediction.quantile(0.05), upper: prediction.quantile(0.95) });
    out.append(element("p", { class: "answer" }, element("b", {}, Pictures.number(prediction.mean)),
      ` mean of ${report.response}; median ${q(0.5)}; 90% between ${q(0.05)} and ${q(0.95)}; ` +
      `best response ${Pictures.number(prediction.mode)}`));
    const points = BehaviorModel.densityCurve(model, prediction, 160);
    const stems = prediction.masses.filter((m) => m.p > 0.0005).map((m) => [m.value, m.p]);
    if (points.length > 1 || stems.length > 0)
      out.append(Pictures.lines({ title: `Predicted distribution of ${report.response}`, xLabel: report.response,
        yLabel: points.length > 1 ? "density" : "probability", marks: [prediction.mean], stems,
        lines: points.length > 1 ? [{ points, style: 0 }] : [],
        range: points.length > 1 ? [0, 1.05 * Math.max(...points.map((p) => p[1]))] : [0, 1] }));
  }

  function showProbabilities(out) {
    const choice = report.kind === "choice";
    const prediction = choice
      ? BehaviorModel.predictChoice(model, state.row, chosenAttributes(state))
      : BehaviorModel.predictClasses(model, state.row);
    const p = prediction.probabilities, best = p.indexOf(Math.max(...p));
    out.dataset.values = JSON.stringify(p);
    out.append(element("p", { class: "answer" }, element("b", {}, model.classes[best]),
      ` is likeliest, with probability ${Pictures.percent(p[best])}` +
      (choice ? `; expected utility of the choice (log-sum) ${Pictures.number(prediction.logSum)}` : "")));
    const rows = model.classes.map((name, c) => [name, p[c]]);
    if (rows.length > 12) rows.sort((a, b) => b[1] - a[1]).splice(12);
    out.append(Pictures.bars(rows, `Predicted probabilities of ${report.response}`));
  }

  function grid(column, count) {
    return Array.from({ length: count }, (_, i) => column.low + ((column.high - column.low) * i) / (count - 1));
  }

  function showCurve(out) {
    const column = (report.columns || []).find((c) => c.number && c.name === state.column);
    if (!column || report.kind === "choice") return;
    const second = report.columns.find((c) => c.number && c.name === state.second);
    const names = outcomeNames();
    if (second && second !== column) {
      const values = grid(second, MAP_POINTS).map((y) => grid(column, MAP_POINTS).map((x) =>
        outcomes({ ...state.row, [column.name]: x, [second.name]: y })[state.outcome]));
      out.append(Pictures.map({ title: names[state.outcome], xLabel: column.name, yLabel: second.name,
        x: [column.low, column.high], y: [second.low, second.high], values }));
      return;
    }
    if (state.utility) {
      showUtility(out, column);
      return;
    }
    const shownOutcome = report.kind === "number" ? 0 : state.outcome;
    const points = grid(column, CURVE_POINTS).map((x) =>
      [x, outcomes({ ...state.row, [column.name]: x })[shownOutcome]]);
    out.append(Pictures.lines({ title: `${names[shownOutcome]} along ${column.name}`, xLabel: column.name,
      yLabel: names[shownOutcome], marks: [Number(state.row[column.name])], lines: [{ points, style: 0 }],
      range: report.kind === "number" ? null : [0, 1] }));
  }

  // The utility of what is shown (of a number: of its best response) along a column, and where constraints that
  // move it most begin to be violated.
  function showUtility(out, column) {
    const v = report.kind === "number" ? [BehaviorModel.predictNumber(model, state.row).density.mode()] : [];
    const what = report.kind === "number" ? "the best response" : model.classes[state.outcome];
    const points = [], notes = [];
    let before = null;
    for (const x of grid(column, 2 * CURVE_POINTS)) {
      const row = { ...state.row, [column.name]: x };
      points.push([x, BehaviorModel.utility(model, row, v, state.outcome)]);
      const values = BehaviorModel.firstHeads(model, row, v, state.outcome, (report.constraints || []).slice(0, 4));
      if (before)
        values.forEach((one, i) => {
          if (one.value > 0 !== before[i].value > 0) notes.push([x, `${one.name} = 0`]);
        });
      before = values;
    }
    out.append(Pictures.lines({ title: `Utility of ${what} along ${column.name}`, xLabel: column.name,
      yLabel: `utility of ${what}`, marks: [Number(state.row[column.name])], notes, lines: [{ points, style: 0 }] }),
      element("p", { class: "help" }, "Dashed: where a constraint is at its limit, of those that move the utility most."));
  }

  function update() {
    model.scaled = state.scaled;
    const begun = performance.now();
    shown.answer.replaceChildren();
    if (report.kind === "number") showNumber(shown.answer);
    else showProbabilities(shown.answer);
    shown.curve.replaceChildren();
    showCurve(shown.curve);
    shown.answer.dataset.milliseconds = (performance.now() - begun).toFixed(2);
    shown.link.href = link();
  }

  // --- controls

  function slider(column, value, change) {
    const step = column.whole ? 1 : "any";
    const text = element("output", {}, Pictures.number(value));
    const input = element("input", { type: "range", min: column.low, max: column.high, step, value,
      "aria-label": column.label || column.name, "data-name": column.name,
      oninput: () => {
        text.textContent = Pictures.number(Number(input.value));
        change(Number(input.value));
        update();
      } });
    return element("label", { class: "control" }, element("span", {}, column.name), input, text);
  }

  function select(name, options, value, change) {
    const input = element("select", { "data-name": name, "aria-label": name,
      onchange: () => { change(input.value); update(); } },
      ...options.map(([key, label]) => element("option", { value: key, selected: key === value }, label)));
    return element("label", { class: "control" }, element("span", {}, name), input);
  }

  function columnControl(column) {
    const value = state.row[column.name];
    if (column.number && value !== null)
      return slider(column, Number(value), (v) => { state.row[column.name] = v; });
    const options = (column.levels || []).map((level) => [level, level]);
    if (column.missing || value === null) options.push(["", "(missing)"]);
    return select(column.name, options, value === null ? "" : String(value),
      (v) => { state.row[column.name] = v === "" ? null : v; });
  }

  // All of them, or those that matter most.
  function shownColumns() {
    const columns = report.columns || [];
    return report.leading ? report.leading.map((name) => columns.find((c) => c.name === name)) : columns;
  }

  function alternativeControls(alternative, a) {
    const one = state.attributes[a];
    const available = element("input", { type: "checkbox", checked: one.available,
      onchange: () => {
        one.available = available.checked;
        if (!state.attributes.some((other) => other.available)) one.available = available.checked = true;
        update();
      } });
    return element("fieldset", {}, element("legend", {}, alternative.name),
      element("label", { class: "control" }, element("span", {}, "available"), available),
      ...alternative.attributes.filter((t) => t.high > t.low).map((attribute) =>
        slider({ ...attribute, label: `${attribute.name} of ${alternative.name}` }, one.values[attribute.name],
          (v) => { one.values[attribute.name] = v; })));
  }

  function constraintControls() {
    if (!report.constraints || report.constraints.length === 0) return [];
    const rows = report.constraints.map((name) => {
      const factor = state.scaled[name] === undefined ? 1 : state.scaled[name];
      return slider({ name, label: `weight of ${name}`, low: 0, high: 3, whole: false }, factor, (v) => {
        if (v === 1) delete state.scaled[name];
        else state.scaled[name] = v;
      });
    });
    return [element("details", { id: "constraint-controls" }, element("summary", {}, "Weights of constraints"),
      element("p", { class: "help" }, "A factor of the weight: 0 drops the constraint, 1 is as learned. " +
        "Those that move the utility most."), ...rows)];
  }

  function curveControls() {
    const numbers = shownColumns().filter((c) => c.number && c.value !== null);
    if (report.kind === "choice" || numbers.length === 0) return [];
    const names = numbers.map((c) => [c.name, c.name]);
    const out = [select("curve along", names, state.column, (v) => { state.column = v; }),
      select("and as a map with", [["", "(no second column)"], ...names], "", (v) => { state.second = v || null; })];
    out.push(select("show", [["p", "the prediction"], ["u", "the utility"]], state.utility ? "u" : "p",
      (v) => { state.utility = v === "u"; }));
    if (report.kind === "class")
      out.push(select("of", model.classes.map((c, i) => [String(i), c]), String(state.outcome),
        (v) => { state.outcome = Number(v); }));
    return [element("div", { class: "row" }, ...out)];
  }

  function build() {
    const place = document.getElementById("what-if-controls");
    shown = { answer: element("div", { id: "answer", "aria-live": "polite" }), curve: element("div", { id: "live-curve" }),
      link: element("a", { id: "state-link", href: "#" }, "Link to these values") };
    const controls = element("div", { class: "controls" },
      ...(report.alternatives || []).map(alternativeControls), ...shownColumns().map(columnControl),
      ...(report.leading ? [element("p", { class: "help" }, `The ${report.leading.length} columns that matter most, of ` +
        `${report.columns.length}; the others stay as they are.`)] : []),
      ...constraintControls());
    const reset = element("button", { type: "button", onclick: () => { state = startState(); draw(); } },
      `Back to ${report.start}`);
    const draw = () => {
      place.replaceChildren();
      build();
    };
    place.append(element("div", { class: "what-if" }, controls,
      element("div", { class: "result" }, shown.answer, ...curveControls(), shown.curve,
        element("p", {}, reset, " ", shown.link))));
    place.hidden = false;
    document.getElementById("start-values").hidden = true;
    update();
  }

  // --- market shares under another price, from scenarios that the library has solved

  function buildMarket() {
    const place = document.getElementById("market-controls");
    const all = report.scenarios;
    if (!place || !all || all.entries.length === 0) return;
    const names = report.alternatives.map((a) => a.name);
    let entry = Math.max(0, all.entries.findIndex((e) => e.attribute === report.money)), at = all.factors.indexOf(1);
    const out = element("div", { id: "market-answer", "aria-live": "polite" });
    const show = () => {
      const one = all.entries[entry], shares = one.shares[at];
      out.dataset.values = JSON.stringify(shares);
      const money = one.money.length > 0;
      out.replaceChildren(element("p", { class: "answer" },
        `${one.attribute} of ${names[one.alternative]} × ${Pictures.number(all.factors[at])}: surplus per situation `,
        element("b", {}, Pictures.number((money ? one.money : one.surplus)[at])),
        money ? ` in units of ${report.money}` : " in units of utility"),
        Pictures.bars(names.map((name, a) => [name, shares[a]]), "Market shares"));
    };
    const text = element("output", {}, "1");
    const factor = element("input", { type: "range", min: 0, max: all.factors.length - 1, step: 1, value: at,
      "aria-label": "factor", id: "market-factor",
      oninput: () => { at = Number(factor.value); text.textContent = Pictures.number(all.factors[at]); show(); } });
    const which = element("select", { "aria-label": "what changes", onchange: () => { entry = Number(which.value); show(); } },
      ...all.entries.map((e, i) => element("option", { value: i, selected: i === entry },
        `${e.attribute} of ${names[e.alternative]}`)));
    place.append(element("div", { class: "what-if" },
      element("div", { class: "controls" },
        element("label", { class: "control" }, element("span", {}, "what changes"), which),
        element("label", { class: "control" }, element("span", {}, "factor"), factor, text)),
      element("div", { class: "result" }, out)));
    place.hidden = false;
    show();
  }

  // --- the problem: blocks open from the picture, units are chosen

  function buildProblem() {
    const open = (name) => {
      const block = document.getElementById(`block-${name}`);
      if (!block) return;
      block.open = true;
      block.scrollIntoView({ block: "center" });
      block.querySelector("summary").focus();
    };
    for (const box of document.querySelectorAll("#network [data-block]")) {
      box.setAttribute("tabindex", "0");
      box.setAttribute("role", "link");
      box.setAttribute("aria-label", `open block ${box.dataset.block}`);
      box.addEventListener("click", () => open(box.dataset.block));
      box.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();  // or the same key would close the block, which has the focus now
        open(box.dataset.block);
      });
    }
    const units = document.getElementById("units");
    if (!units) return;
    units.parentElement.hidden = false;
    document.body.classList.add("original-units");
    units.addEventListener("change", () => {
      document.body.classList.toggle("original-units", !units.checked);
      document.body.classList.toggle("standardised-units", units.checked);
    });
    const openTarget = () => {
      const target = location.hash.startsWith("#block-") && document.getElementById(location.hash.slice(1));
      if (target) target.open = true;
    };
    window.addEventListener("hashchange", openTarget);
    openTarget();
  }

  function begin() {
    report = JSON.parse(document.getElementById("report-data").textContent);
    buildProblem();
    buildMarket();
    if (!report.model) return;
    model = BehaviorModel.prepare(report.model);
    state = startState();
    readLink();
    build();
  }

  return { begin };
})();

if (typeof document !== "undefined") Controls.begin();
