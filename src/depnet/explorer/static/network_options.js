// What ECharts draws of a network: pure functions of the ties that are shown, the chosen variable and the greys.

export const RELATIONS = {
  told: { name: "predicts it", colour: "#D55E00", type: "solid" },
  tells: { name: "it predicts", colour: "#0072B2", dark: "#56B4E9", type: "dashed" },
  both: { name: "both ways", colour: "#009E73", type: "solid" },
};

export const NARROW = 600; // pixels
const MOST_APART = 170; // pixels between neighbours of a small network
const MOST_WITH_HEADS = 400; // past so many, arrow heads cannot be told apart and only cost time

export function greys() {
  const style = getComputedStyle(document.body);
  const of = (name) => style.getPropertyValue(name).trim();
  return {
    text: of("--text"), muted: of("--muted"), line: of("--line"), surface: of("--surface"),
    dark: document.body.classList.contains("body--dark"),
  };
}

export function colourOf(relation, grey) {
  const { colour, dark } = RELATIONS[relation];
  return grey.dark && dark ? dark : colour;
}

// How the tie looks from the chosen variable: it is told, it tells, or both.
export function relation(tie, chosen) {
  const [first, second, forward, backward] = tie;
  if (first !== chosen && second !== chosen) return null;
  if (forward !== null && backward !== null) return "both";
  return (forward !== null) === (second === chosen) ? "told" : "tells";
}

export function strength(tie) {
  return Math.max(tie[2] ?? -Infinity, tie[3] ?? -Infinity);
}

export function bits(value) {
  return `${value.toPrecision(3)} bits`;
}

// Places in pixels, in the middle of a chart: as large as it allows, and stretched somewhat to fill it.
export function fitted(places, width, height) {
  const margin = { x: Math.min(80, width / 8), y: 30 };
  const [xs, ys] = [0, 1].map((axis) => places.map((at) => at[axis]));
  const least = [Math.min(...xs), Math.min(...ys)];
  const span = [Math.max(...xs) - least[0], Math.max(...ys) - least[1]];
  const room = [Math.max(width - 2 * margin.x, 50), Math.max(height - 2 * margin.y, 50)];
  const most = span.map((s, axis) => (s > 0 ? room[axis] / s : MOST_APART));
  const even = Math.min(...most, MOST_APART);
  const scale = most.map((m) => Math.min(m, (width < NARROW ? 2.5 : 1.5) * even));
  const size = span.map((s, axis) => Math.max(s * scale[axis], 1));
  return {
    places: places.map((at) => at.map((x, axis) => (x - least[axis]) * scale[axis])),
    box: { left: (width - size[0]) / 2, top: (height - size[1]) / 2, width: size[0], height: size[1] },
  };
}

export function graphOptions({ names, places, box, sizes, colours, ties, visible, chosen, grey }) {
  const strongest = Math.max(...ties.map(strength), 1e-12);
  const near = new Map();
  if (chosen !== null) {
    for (const tie of ties) {
      const how = relation(tie, chosen);
      if (how) near.set(tie[0] === chosen ? tie[1] : tie[0], how);
    }
  }
  const data = names.map((name, v) => {
    const seen = visible.has(v);
    const faint = chosen !== null && v !== chosen && !near.has(v);
    const rim = v === chosen ? grey.text : near.has(v) ? colourOf(near.get(v), grey) : grey.dark ? grey.surface : grey.muted;
    return {
      id: String(v), name, x: places[v][0], y: places[v][1],
      symbolSize: seen ? sizes[v] * (v === chosen ? 1.35 : 1) : 0,
      cursor: seen ? "pointer" : "default",
      itemStyle: {
        color: colours[v], opacity: seen ? (faint ? 0.35 : 1) : 0,
        borderColor: rim, borderWidth: v === chosen || near.has(v) ? 3 : 1,
      },
      label: { show: seen && !faint, fontWeight: v === chosen ? "bold" : "normal" },
    };
  });
  const heads = ties.length <= MOST_WITH_HEADS;
  const links = ties.map((tie) => {
    const [first, second, forward, backward] = tie;
    const how = chosen === null ? null : relation(tie, chosen);
    const weight = Math.sqrt(Math.max(strength(tie), 0) / strongest);
    const [source, target] = forward === null ? [second, first] : [first, second];
    return {
      source: String(source), target: String(target),
      symbol: !heads && !how ? "none" : [forward !== null && backward !== null ? "arrow" : "none", "arrow"],
      symbolSize: how ? 8 : 4 + 3 * weight,
      tie,
      lineStyle: {
        width: 0.6 + 4.4 * weight,
        type: how ? RELATIONS[how].type : "solid",
        color: how ? colourOf(how, grey) : grey.muted,
        opacity: how ? 0.95 : chosen !== null ? 0.07 : 0.2 + 0.45 * weight,
      },
    };
  });
  return {
    animation: false,
    tooltip: { renderMode: "richText", confine: true, formatter: (at) => told(at, names) },
    series: [{
      type: "graph", layout: "none", roam: true, ...box, scaleLimit: { min: 0.4, max: 20 }, data, links,
      label: { position: "bottom", distance: 3, color: grey.text, fontSize: 12, width: 160, overflow: "truncate",
               textBorderColor: grey.surface, textBorderWidth: 3 },
      labelLayout: { hideOverlap: true },
      emphasis: { disabled: true },
    }],
  };
}

function told(at, names) {
  if (at.dataType !== "edge") return at.name;
  const [first, second, forward, backward] = at.data.tie;
  const lines = [];
  if (forward !== null) lines.push(`${names[first]} → ${names[second]}: ${bits(forward)}`);
  if (backward !== null) lines.push(`${names[second]} → ${names[first]}: ${bits(backward)}`);
  return lines.join("\n");
}

// Rows are predicted, columns predict; `order` are the variables from left to right and top to bottom.
export function matrixOptions({ names, ties, order, grey, narrow }) {
  const place = new Map(order.map((v, k) => [v, k]));
  const cells = [];
  let most = 1e-12;
  for (const [first, second, forward, backward] of ties) {
    if (!place.has(first) || !place.has(second)) continue;
    if (forward !== null) cells.push([place.get(first), place.get(second), forward]);
    if (backward !== null) cells.push([place.get(second), place.get(first), backward]);
  }
  for (const cell of cells) most = Math.max(most, cell[2]);
  const labels = order.map((v) => names[v]);
  const axis = {
    type: "category", data: labels, splitArea: { show: false }, axisTick: { show: false },
    splitLine: { show: order.length <= 40, lineStyle: { color: grey.line } },
    axisLine: { lineStyle: { color: grey.line } },
  };
  const label = { color: grey.text, fontSize: order.length > 30 ? 10 : 11, overflow: "truncate", width: narrow ? 70 : 110 };
  return {
    animation: false,
    tooltip: {
      renderMode: "richText", confine: true,
      formatter: ({ value }) => `${labels[value[0]]} → ${labels[value[1]]}: ${bits(value[2])}`,
    },
    grid: { left: narrow ? 80 : 120, right: 20, top: 20, bottom: narrow ? 110 : 150 },
    xAxis: { ...axis, axisLabel: { ...label, rotate: 60, interval: 0 } },
    yAxis: { ...axis, inverse: true, axisLabel: { ...label, interval: 0 } },
    visualMap: {
      min: 0, max: most, calculable: false, orient: "horizontal", left: narrow ? 40 : 120, bottom: 4, itemHeight: 120, precision: 3,
      text: [bits(most), "0"], textStyle: { color: grey.muted },
      inRange: { color: grey.dark ? ["#22303c", "#56B4E9", "#F0E442"] : ["#eef5fa", "#56B4E9", "#00395a"] },
    },
    series: [{ type: "heatmap", data: cells, itemStyle: { borderColor: grey.surface, borderWidth: order.length > 45 ? 0 : 1 } }],
  };
}
