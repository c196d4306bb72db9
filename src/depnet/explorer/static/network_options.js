// What ECharts draws of a network: pure functions of the ties that are shown, the chosen variable and the greys.

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

export function colourOf(relation, grey) {
  const { colour, dark } = RELATIONS[relation];
  return grey.dark && dark ? dark : colour;
}

export function rampOf(what, dark) {
  return (what === "moved" ? MOVED : STRENGTH)[dark ? "dark" : "light"];
}

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

export function strength(tie) {
  return Math.max(tie[2] ?? -Infinity, tie[3] ?? -Infinity);
}

// What the source of a tie tells the other; null where it does not.
export function told(tie, source) {
  return tie[0] === source ? tie[2] : tie[3];
}

export function bits(value) {
  if (Math.abs(value) < 5e-5) return "under 0.0001 bits";
  return `${value >= 0.1 ? value.toFixed(3) : String(Number(value.toFixed(4)))} bits`;
}

// `near`: only the surroundings of the chosen variable are shown, so that none need be faint.
export function graphOptions({ names, at, width, height, sizes, fill, ties, visible, chosen, near: only, marks, grey }) {
  const strongest = Math.max(...ties.map(strength), 1e-12);
  const near = new Map();
  if (chosen !== null) {
    for (const tie of ties) {
      const how = relation(tie, chosen);
      if (how) near.set(tie[0] === chosen ? tie[1] : tie[0], how);
    }
  }
  const data = [...visible].map((v) => {
    const faint = chosen !== null && !only && v !== chosen && !near.has(v);
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
      label: { show: !faint || Boolean(known), fontWeight: v === chosen || known || v === marks.target ? "bold" : "normal" },
      tooltip: { show: false }, // a card of its own
    };
  });
  // Two corners that nobody sees keep the picture where it is, whatever is shown.
  const corner = { symbolSize: 0, label: { show: false }, itemStyle: { opacity: 0 }, tooltip: { show: false }, silent: true };
  data.push({ id: "corner 0", x: 0, y: 0, ...corner }, { id: "corner 1", x: width, y: height, ...corner });
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
        opacity: how ? 0.95 : chosen !== null && !only ? 0.07 : 0.2 + 0.45 * weight,
      },
    };
  });
  return {
    animation: false,
    tooltip: { renderMode: "richText", confine: true, formatter: (link) => linkText(link.data.tie, names) },
    series: [{
      type: "graph", layout: "none", roam: true, left: 0, top: 0, width, height, scaleLimit: { min: 0.4, max: 20 }, data, links,
      label: { position: "bottom", distance: 3, color: grey.text, fontSize: 12, width: 160, overflow: "truncate",
               textBorderColor: grey.surface, textBorderWidth: 3, formatter: "{b}" },
      labelLayout: { hideOverlap: true },
      emphasis: { disabled: true },
    }],
  };
}

export function linkText([first, second, forward, backward], names) {
  const lines = [];
  if (forward !== null) lines.push(`${names[first]} → ${names[second]}: ${bits(forward)}`);
  if (backward !== null) lines.push(`${names[second]} → ${names[first]}: ${bits(backward)}`);
  return lines.join("\n");
}
