// What is drawn of a network, and where: pure functions of the ties, of what the reader has chosen and of the greys.
import { echarts } from "nicegui-echart";

export const RELATIONS = {
  told: { name: "predicts it", colour: "#D55E00", type: "solid" },
  tells: { name: "it predicts", colour: "#0072B2", dark: "#56B4E9", type: "dashed" },
  both: { name: "both ways", colour: "#009E73", type: "solid" },
};

const MOST_WITH_HEADS = 400; // past so many, arrow heads cannot be told apart and only cost time
const MOVED = { light: ["#e8ebee", "#f6cf94", "#D55E00", "#702f00"], dark: ["#2c343c", "#7a4a12", "#E69F00", "#fff0b3"] };
const STRENGTH = { light: ["#dcebf5", "#56B4E9", "#0072B2", "#00263d"], dark: ["#20384a", "#2f80b5", "#7cc8f2", "#F0E442"] };

export function greys() {
  const style = getComputedStyle(document.body);
  const of = (name) => style.getPropertyValue(name).trim();
  return {
    text: of("--text"), muted: of("--muted"), line: of("--line"), surface: of("--surface"), accent: of("--accent"),
    dark: document.body.classList.contains("body--dark"),
  };
}

const colourOf = (relation, grey) => (grey.dark && RELATIONS[relation].dark) || RELATIONS[relation].colour;

export const rampOf = (what, dark) => (what === "moved" ? MOVED : STRENGTH)[dark ? "dark" : "light"];

// The colour of a share from 0 to 1 on a ramp.
export function mixed(ramp, share) {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  const parts = [1, 3, 5].map((k) => {
    const [a, b] = [ramp[low], ramp[low + 1]].map((colour) => parseInt(colour.slice(k, k + 2), 16));
    return Math.round(a + (b - a) * (at - low));
  });
  return `rgb(${parts.join(",")})`;
}

// Black or white, whichever is read more easily on such a colour.
export function readableOn(rgb) {
  const [red, green, blue] = rgb.match(/\d+/g).map((part) => {
    const c = Number(part) / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

// How the tie looks from the chosen variable: it is told, it tells, or both.
export function relation(tie, chosen) {
  const [first, second, forward, backward] = tie;
  if (first !== chosen && second !== chosen) return null;
  if (forward !== null && backward !== null) return "both";
  return (forward !== null) === (second === chosen) ? "told" : "tells";
}

export const strength = (tie) => Math.max(tie[2] ?? -Infinity, tie[3] ?? -Infinity);

export function bits(value) {
  if (Math.abs(value) < 5e-5) return "under 0.0001 bits";
  return `${value >= 0.1 ? value.toFixed(3) : String(Number(value.toFixed(4)))} bits`;
}

export function graphOptions({ names, at, width, height, sizes, fill, ties, visible, chosen, marks, grey }) {
  const strongest = Math.max(...ties.map(strength), 1e-12);
  const near = new Map();
  if (chosen !== null) {
    for (const tie of ties) {
      const how = relation(tie, chosen);
      if (how) near.set(tie[0] === chosen ? tie[1] : tie[0], how);
    }
  }
  const data = [...visible].map((v) => {
    const faint = chosen !== null && v !== chosen && !near.has(v);
    const known = marks.known.get(v);
    const rim = v === chosen || known ? grey.text : near.has(v) ? colourOf(near.get(v), grey) : grey.dark ? grey.line : grey.muted;
    const size = sizes[v] * (v === chosen ? 1.35 : 1);
    return {
      id: String(v), name: known ?? names[v], x: at[v][0], y: at[v][1],
      symbol: known ? "roundRect" : v === marks.target ? "diamond" : "circle",
      symbolSize: v === marks.target ? 1.4 * Math.max(size, 12) : known ? Math.max(size, 12) : size,
      itemStyle: {
        color: fill(v), opacity: faint && !known ? 0.35 : 1, borderColor: rim,
        borderWidth: v === chosen || near.has(v) || known ? 3 : 1,
      },
      label: { show: !faint || Boolean(known), width: textWidth(known ?? names[v]), fontWeight: v === chosen || known || v === marks.target ? "bold" : "normal" },
      tooltip: { show: false }, // a card of its own
    };
  });
  data.push(...corners(width, height));
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
    tooltip: { renderMode: "richText", confine: true, formatter: (link) => linkText(link.data.tie, names) },
    series: [{
      type: "graph", layout: "none", roam: true, left: 0, top: 0, width, height, scaleLimit: { min: 0.4, max: 20 }, data, links,
      label: labelled(grey, undefined),
      labelLayout: { hideOverlap: true },
      emphasis: { disabled: true },
    }],
  };
}

function linkText([first, second, forward, backward], names) {
  const way = (from, to, value) => (value === null ? [] : [`${names[from]} → ${names[to]}: ${bits(value)}`]);
  return [...way(first, second, forward), ...way(second, first, backward)].join("\n");
}

// Where variables are drawn, in pixels of the chart: all of them, or some of them.
export const NARROW = 600; // pixels
const MOST_APART = 170; // pixels between neighbours of a small network

// The places of `members` (all without them) in the middle of a chart: as large as it allows, and stretched somewhat to
// fill it. Others are in the middle.
export function fitted(places, width, height, members = null) {
  const kept = members === null ? [...places.keys()] : [...members];
  const margin = { x: Math.min(80, width / 8), y: 34 };
  const least = [0, 1].map((axis) => kept.reduce((low, v) => Math.min(low, places[v][axis]), Infinity));
  const span = [0, 1].map((axis) => kept.reduce((high, v) => Math.max(high, places[v][axis]), -Infinity) - least[axis]);
  const room = [Math.max(width - 2 * margin.x, 50), Math.max(height - 2 * margin.y, 50)];
  const most = span.map((s, axis) => (s > 0 ? room[axis] / s : MOST_APART));
  const even = Math.min(...most, MOST_APART);
  const scale = most.map((m) => Math.min(m, (width < NARROW ? 2.5 : 1.5) * even));
  const corner = [width, height].map((side, axis) => (side - span[axis] * scale[axis]) / 2);
  const at = places.map(() => [width / 2, height / 2]);
  for (const v of kept) at[v] = [0, 1].map((axis) => corner[axis] + (places[v][axis] - least[axis]) * scale[axis]);
  return at;
}

// A chosen variable in the middle of those that it is linked with, on two rings, in the order in which they lie around it.
export function around(places, chosen, visible, width, height) {
  const others = [...visible].filter((v) => v !== chosen);
  const angle = (v) => Math.atan2(places[v][1] - places[chosen][1], places[v][0] - places[chosen][0]);
  others.sort((a, b) => angle(a) - angle(b));
  const at = places.map(() => [width / 2, height / 2]);
  others.forEach((v, k) => {
    const turn = (2 * Math.PI * k) / others.length, far = others.length > 12 && k % 2 ? 0.62 : 1;
    at[v] = [width / 2 + far * (width / 2 - Math.min(90, width / 6)) * Math.cos(turn), height / 2 + far * (height / 2 - 30) * Math.sin(turn)];
  });
  return at;
}

// How much larger than all of them a picture of some has to be for these to fill it, and where its middle is.
export function framed(at, visible, width, height) {
  const [xs, ys] = [0, 1].map((axis) => [...visible].map((v) => at[v][axis]));
  if (visible.size < 2 || visible.size === at.length) return { zoom: 1, center: null };
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const zoom = Math.min(width / (right - left + width / 5), height / (bottom - top + height / 5), 6);
  return zoom < 1.1 ? { zoom: 1, center: null } : { zoom, center: [(left + right) / 2, (top + bottom) / 2] };
}

// Communities as bubbles: where their members are, pushed apart; what is between them, and how far the most moved one did.
export function bubblesOf({ places, groups, ties }, communities, width, height, shown) {
  const size = new Map(communities.map((one) => [one.group, one.size]));
  const sums = communities.map(() => [0, 0]);
  const place = new Map(communities.map((one, k) => [one.group, k]));
  groups.forEach((group, v) => { if (place.has(group)) [0, 1].forEach((axis) => { sums[place.get(group)][axis] += places[v][axis] / size.get(group); }); });
  const small = Math.max(0.5, Math.min(1, width / 800, Math.sqrt((width * height) / (12000 * communities.length))));
  const radius = communities.map((one) => small * Math.min(12 + 4 * Math.sqrt(one.size), 60));
  const at = fitted(sums, width, height).map(([x, y], k) => [x, y + 1e-3 * k]);
  for (let step = 0; step < 200; step++) {
    for (let a = 0; a < at.length; a++) for (let b = 0; b < a; b++) {
      const gap = [at[a][0] - at[b][0], (at[a][1] - at[b][1])];
      const wanted = [radius[a] + radius[b] + 80 * small, radius[a] + radius[b] + 32]; // labels are wide
      const near = Math.hypot(gap[0] / wanted[0], gap[1] / wanted[1]);
      if (near >= 1) continue;
      [0, 1].forEach((axis) => {
        const push = (0.25 * (1 - near) * wanted[axis] * (gap[axis] || 1e-3)) / Math.max(Math.hypot(...gap), 1e-3);
        at[a][axis] += push;
        at[b][axis] -= push;
      });
    }
    at.forEach((one, k) => { [width, height].forEach((side, axis) => { const [before, after] = axis ? [radius[k] + 6, radius[k] + 40] : [Math.max(radius[k], 48), Math.max(radius[k], 48)];
      one[axis] = Math.min(Math.max(one[axis], before), side - after); }); });
  }
  const between = new Map();
  for (const tie of ties.slice(0, shown)) {
    const ends = [place.get(groups[tie[0]]), place.get(groups[tie[1]])];
    if (ends[0] === ends[1] || ends.includes(undefined)) continue;
    const key = Math.min(...ends) * at.length + Math.max(...ends);
    between.set(key, (between.get(key) ?? 0) + Math.max(strength(tie), 0));
  }
  const links = [...between].map(([key, value]) => [Math.floor(key / at.length), key % at.length, value]);
  return Object.freeze({ at, radius, links });
}

export function bubbleOptions({ at, radius, links }, communities, { fill, active, marked, grey, width, height }) {
  const mostLabel = width < NARROW ? 80 : LABEL;
  const most = links.reduce((high, link) => Math.max(high, link[2]), 1e-12);
  return {
    animation: false,
    tooltip: { show: false },
    series: [{
      type: "graph", layout: "none", roam: true, left: 0, top: 0, width, height, scaleLimit: { min: 0.4, max: 20 }, zoom: 1, center: null,
      data: [...communities.map((one, k) => ({
        id: String(k), name: one.name, x: at[k][0], y: at[k][1], symbolSize: 2 * radius[k],
        itemStyle: { color: fill(one), borderColor: k === active || marked.has(one.group) ? grey.text : grey.surface, borderWidth: k === active ? 4 : 2 },
        label: { formatter: `{b}\n${one.size} columns`, width: Math.min(Math.max(textWidth(one.name), 80), mostLabel) },
      })), ...corners(width, height)],
      links: links.map(([a, b, value]) => ({ source: String(a), target: String(b), symbol: "none",
        lineStyle: { width: 0.6 + 8 * Math.sqrt(value / most), color: grey.muted, opacity: 0.35 } })),
      label: { ...labelled(grey, true), lineHeight: 15 }, labelLayout: { hideOverlap: true }, emphasis: { disabled: true },
    }],
  };
}

// Two corners that nobody sees keep the picture where it is, whatever is shown.
function corners(width, height) {
  const corner = { symbolSize: 0, label: { show: false }, itemStyle: { opacity: 0 }, tooltip: { show: false }, silent: true };
  return [{ id: "corner 0", x: 0, y: 0, ...corner }, { id: "corner 1", x: width, y: height, ...corner }];
}

const LABEL = 160; // pixels

function labelled(grey, show) {
  return { show, position: "bottom", distance: 3, color: grey.text, fontSize: 12, overflow: "truncate",
           textBorderColor: grey.surface, textBorderWidth: 3, formatter: "{b}" };
}

// How far from the middle of a variable its own label goes to the sides.
export function labelReach(name) { return textWidth(name) / 2 + 8; }

function textWidth(name) { return Math.min(LABEL, 2 + echarts.format.getTextRect(name, "bold 12px sans-serif").width); }

// Of the places `at`, the one nearest in a direction, which an arrow key says; null where there is none.
export function nearest(at, from, candidates, [dx, dy]) {
  let best = null;
  let least = Infinity;
  for (const v of candidates) {
    const [x, y] = [at[v][0] - at[from][0], at[v][1] - at[from][1]];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy - y * dx);
    if (v === from || along <= 0.5) continue;
    if (along + 2 * aside < least) [best, least] = [v, along + 2 * aside];
  }
  return best;
}

const MOST_IN_MATRIX = 400;
const SHOW_ALL_VARIABLES = 60; // of so few, those without a link are shown too
const MOST_AROUND = 40;

// What never changes, kept out of Vue's sight: thousands of links need not be watched. `several` are the communities with
// more than one member.
export function fixedOf({ names, places, groups, ties, colours, rest }, several) {
  const total = names.map(() => 0);
  for (const tie of ties) for (const end of [tie[0], tie[1]]) total[end] += Math.max(strength(tie), 0);
  const most = Math.max(...total, 1e-12);
  const small = Math.max(0.45, Math.min(1, Math.sqrt(250 / total.length)));
  return Object.freeze({
    names: Vue.toRaw(names), places: Vue.toRaw(places), groups: Vue.toRaw(groups), ties: Vue.toRaw(ties), total,
    sizes: total.map((bits) => small * (8 + 18 * Math.sqrt(bits / most))),
    colours: groups.map((group) => (several.has(group) ? colours[group] ?? rest : rest)),
  });
}

// The variables and ties to show. Of many, a chosen one has the strongest around it.
export function sceneOf({ ties, names, groups }, { shown, community, mode, chosen, known, target }) {
  if (mode === "groups" && chosen !== null) {
    const own = ties.filter((tie) => tie[0] === chosen || tie[1] === chosen).slice(0, MOST_AROUND);
    const near = new Set([chosen, ...own.flatMap((tie) => [tie[0], tie[1]])]);
    return { drawn: ties.filter((tie) => near.has(tie[0]) && near.has(tie[1])), visible: near };
  }
  const inside = (v) => community === null || groups[v] === community;
  const all = community === null ? ties : ties.filter((tie) => inside(tie[0]) && inside(tie[1]));
  let drawn = all.slice(0, shown);
  const every = mode === "matrix" || names.length <= SHOW_ALL_VARIABLES || community !== null;
  const visible = new Set(every ? [...names.keys()].filter(inside) : drawn.flatMap((tie) => [tie[0], tie[1]]));
  for (const [v] of known) if (inside(v)) visible.add(v);
  if (target !== null && inside(target)) visible.add(target);
  if (chosen !== null) {
    visible.add(chosen);
    // The links of a chosen variable are shown however weak they are.
    const own = all.slice(shown).filter((tie) => tie[0] === chosen || tie[1] === chosen);
    drawn = [...drawn, ...own];
    for (const tie of own) visible.add(tie[0]).add(tie[1]);
  }
  return { drawn, visible };
}

// How much of the network that is, in words.
export function said({ names, ties }, { left, community, strongest }, drawn, visible) {
  if (!ties.length) return "No column tells of another: the model knows the columns as independent.";
  const weakest = drawn.reduce((low, tie) => Math.min(low, strength(tie)), Infinity);
  const of = (some, all) => `${some.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  return `${of(drawn.length, ties.length + left)} links, ${drawn.length ? `${bits(weakest)} and more, ` : ""}`
    + `among ${of(visible.size, names.length)} columns`
    + (community === null ? "" : `; only those around ${names[strongest[community]]}`);
}

// The matrix: its variables in order, communities together, and its cells [from, to, strength] by their places in it.
export function gridOf({ total, groups }, visible, drawn) {
  const strongest = [...visible].sort((a, b) => total[b] - total[a]).slice(0, MOST_IN_MATRIX);
  const order = strongest.sort((a, b) => groups[a] - groups[b] || total[b] - total[a]);
  const place = new Map(order.map((v, k) => [v, k]));
  const arrows = drawn.flatMap(([first, second, forward, backward]) => [[first, second, forward], [second, first, backward]]);
  const cells = arrows.filter(([from, to, value]) => value !== null && place.has(from) && place.has(to))
    .map(([from, to, value]) => [place.get(from), place.get(to), value]);
  return Object.freeze({ order, cells, most: cells.reduce((most, cell) => Math.max(most, cell[2]), 1e-12) });
}

export function matrixOptions({ names, groups }, { order, cells, most }, pair, grey) {
  const ramp = rampOf("strength", grey.dark);
  const last = order.length - 1; // the first row is at the top
  const begins = (k) => k > 0 && k <= last && groups[order[k]] !== groups[order[k - 1]]; // a community
  const axis = (at, begun, more, label) => ({
    type: "category", data: order.map((_, k) => k), axisTick: { show: false }, axisLine: { lineStyle: { color: grey.line } }, ...more,
    splitLine: { show: true, interval: begun, lineStyle: { color: grey.muted } },
    axisLabel: { color: grey.text, width: 130, overflow: "truncate", formatter: (k) => names[order[at(Number(k))]], ...label },
  });
  const chosen = ([from, to]) => pair && order[from] === pair[0] && order[to] === pair[1];
  return {
    animation: false,
    tooltip: { renderMode: "richText", confine: true,
               formatter: ({ data: { cell: [from, to, value] } }) => `${names[order[from]]} → ${names[order[to]]}: ${bits(value)}` },
    grid: { left: 145, top: 110, right: 12, bottom: 12 },
    xAxis: axis((k) => k, begins, { position: "top" }, { rotate: 90, width: 95 }),
    yAxis: axis((k) => last - k, (k) => begins(last - k + 1)),
    dataZoom: [{ type: "inside", xAxisIndex: 0 }, { type: "inside", yAxisIndex: 0 }],
    series: [{
      type: "heatmap",
      data: cells.map((cell) => ({ cell, value: [cell[0], last - cell[1], cell[2]], itemStyle: {
        color: mixed(ramp, Math.sqrt(Math.max(cell[2], 0) / most)), borderColor: chosen(cell) ? grey.accent : grey.surface, borderWidth: chosen(cell) ? 3 : 0.5 } })),
      emphasis: { itemStyle: { borderColor: grey.text, borderWidth: 2 } },
    }],
  };
}

export function svgOf(chart, surface) { // drawn once more, by ECharts' other renderer
  const drawn = echarts.init(null, null, { renderer: "svg", ssr: true, width: chart.getWidth(), height: chart.getHeight() });
  drawn.setOption({ ...chart.getOption(), backgroundColor: surface, tooltip: { show: false }, animation: false });
  const text = drawn.renderToSVGString();
  drawn.dispose();
  return text;
}
