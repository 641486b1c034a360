// Pictures that move with the controls: bars and lines as SVG, in the classes of the page's style.
const Pictures = (() => {
  const SPACE = "http://www.w3.org/2000/svg";

  function node(name, attributes, text) {
    const one = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    if (text !== undefined) one.textContent = text;
    return one;
  }

  // Four significant digits, as everywhere in the page.
  function number(value) {
    if (value === null || Number.isNaN(value)) return "–";
    const size = Math.abs(value);
    const text = size >= 1e4 && size < 1e7 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
    return text.replace("-", "−");
  }
  const percent = (share) => `${(100 * share).toFixed(1)}%`;

  function ticks(low, high, count) {
    const rough = (high - low) / count, unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * unit).find((s) => s >= rough);
    const out = [];
    for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step; at += step)
      out.push(Math.abs(at) < 1e-9 * step ? 0 : at);
    return out;
  }

  function start(width, height, title) {
    return node("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": title });
  }

  // rows: [label, value from 0 to 1].
  function bars(rows, title) {
    const width = 520, room = 150, svg = start(width, 26 * rows.length + 4, title);
    rows.forEach(([label, value], i) => {
      const y = 26 * i + 4, length = Math.max(0.5, (width - room - 80) * value);
      const short = label.length > 20 ? `${[...label].slice(0, 19).join("")}…` : label;
      svg.append(node("text", { x: room - 8, y: y + 14, "text-anchor": "end" }, short),
        node("rect", { x: room, y: y + 1, width: length, height: 18, class: `fill s${i % 6}` }),
        node("text", { x: room + length + 6, y: y + 14, class: "value" }, percent(value)));
    });
    return svg;
  }

  // lines: [{points: [[x, y], ...], style}]; marks: x of vertical lines; stems: [x, share] of point masses;
  // notes: [x, text] of boundaries.
  function lines(options) {
    const { title, xLabel, yLabel, marks = [], stems = [], notes = [], lines: all } = options;
    const width = 380, height = 250, left = 54, right = width - 14, top = 10, bottom = height - 42;
    const xs = all.flatMap((l) => l.points.map((p) => p[0])).concat(stems.map((s) => s[0]));
    const ys = all.flatMap((l) => l.points.map((p) => p[1]));
    let [x0, x1] = [Math.min(...xs), Math.max(...xs)];
    let [y0, y1] = options.range || [Math.min(...ys), Math.max(...ys)];
    if (!(x1 > x0)) [x0, x1] = [x0 - 0.5, x0 + 0.5];
    if (!(y1 > y0)) [y0, y1] = [y0 - 0.5, y0 + 0.5];
    const X = (x) => left + ((right - left) * (x - x0)) / (x1 - x0);
    const Y = (y) => bottom - ((bottom - top) * (y - y0)) / (y1 - y0);
    const svg = start(width, height, title), axis = node("g", { class: "axis" });
    for (const at of ticks(y0, y1, 4))
      axis.append(node("line", { x1: left, x2: right, y1: Y(at), y2: Y(at) }),
        node("text", { x: left - 6, y: Y(at) + 4, "text-anchor": "end" }, number(at)));
    for (const at of ticks(x0, x1, 5))
      axis.append(node("text", { x: X(at), y: bottom + 16, "text-anchor": "middle" }, number(at)));
    axis.append(node("text", { class: "label", x: right, y: height - 6, "text-anchor": "end" }, xLabel),
      node("text", { class: "label", transform: `translate(12,${top}) rotate(-90)`, "text-anchor": "end" }, yLabel));
    svg.append(axis);
    for (const mark of marks)
      if (mark >= x0 && mark <= x1)
        svg.append(node("line", { class: "mark", x1: X(mark), x2: X(mark), y1: top, y2: bottom }));
    for (const line of all)
      svg.append(node("polyline", { class: `line s${line.style}`,
        points: line.points.map(([x, y]) => `${X(x).toFixed(1)},${Y(y).toFixed(1)}`).join(" ") }));
    notes.forEach(([x, text], i) => {
      svg.append(node("line", { class: "boundary", x1: X(x), x2: X(x), y1: top, y2: bottom }),
        node("text", { x: Math.min(X(x) + 3, right - 56), y: top + 12 + 13 * (i % 5), class: "value" }, text));
    });
    for (const [x, share] of stems) {
      const y = bottom - (bottom - top) * share;
      svg.append(node("line", { class: "line s1", x1: X(x), x2: X(x), y1: bottom, y2: y }),
        node("text", { x: X(x), y: y - 4, "text-anchor": "middle", class: "value" }, percent(share)));
    }
    return svg;
  }

  // values[y][x], dark where high.
  function map(options) {
    const { title, xLabel, yLabel, x: [x0, x1], y: [y0, y1], values } = options;
    const width = 380, height = 250, left = 54, right = width - 14, top = 10, bottom = height - 42;
    const all = values.flat(), low = Math.min(...all), high = Math.max(...all);
    const svg = start(width, height, `${title}: from ${number(low)} (light) to ${number(high)} (dark)`);
    const heat = node("g", { class: "heat" });
    const w = (right - left) / values[0].length, h = (bottom - top) / values.length;
    values.forEach((row, r) => row.forEach((value, c) => {
      const cell = node("rect", { x: left + w * c, y: bottom - h * (r + 1), width: w + 0.3, height: h + 0.3,
        "fill-opacity": high > low ? 0.04 + (0.96 * (value - low)) / (high - low) : 0.5 });
      cell.append(node("title", {}, number(value)));
      heat.append(cell);
    }));
    const axis = node("g", { class: "axis" });
    for (const at of ticks(x0, x1, 5))
      axis.append(node("text", { x: left + ((right - left) * (at - x0)) / (x1 - x0), y: bottom + 16,
        "text-anchor": "middle" }, number(at)));
    for (const at of ticks(y0, y1, 4))
      axis.append(node("text", { x: left - 6, y: bottom - ((bottom - top) * (at - y0)) / (y1 - y0) + 4,
        "text-anchor": "end" }, number(at)));
    axis.append(node("text", { class: "label", x: right, y: height - 6, "text-anchor": "end" }, xLabel),
      node("text", { class: "label", transform: `translate(12,${top}) rotate(-90)`, "text-anchor": "end" }, yLabel));
    svg.append(heat, axis);
    return svg;
  }

  return { bars, lines, map, number, percent };
})();
