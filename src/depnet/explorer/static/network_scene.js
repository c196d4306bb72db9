// Which variables and links are shown: pure functions of the network and of what the reader has chosen.
import { bits, strength } from "/depnet/network_options.js";
import { ringsOf } from "/depnet/network_places.js";

const MOST_IN_MATRIX = 400;
const SHOW_ALL_VARIABLES = 60; // of so few, those without a link are shown too

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

// The variables and ties to show, and the rings around the chosen variable where only its surroundings are shown.
export function sceneOf({ ties, names, groups }, { shown, community, mode, chosen, steps, known, target }) {
  const inside = (v) => community === null || groups[v] === community;
  const all = community === null ? ties : ties.filter((tie) => inside(tie[0]) && inside(tie[1]));
  let drawn = all.slice(0, shown);
  const every = mode === "matrix" || names.length <= SHOW_ALL_VARIABLES || community !== null;
  let visible = new Set(every ? [...names.keys()].filter(inside) : drawn.flatMap((tie) => [tie[0], tie[1]]));
  for (const [v] of known) if (inside(v)) visible.add(v);
  if (target !== null && inside(target)) visible.add(target);
  let rings = null;
  if (chosen !== null) {
    visible.add(chosen);
    // The links of a chosen variable are shown however weak they are.
    const own = all.slice(shown).filter((tie) => tie[0] === chosen || tie[1] === chosen);
    drawn = [...drawn, ...own];
    for (const tie of own) visible.add(tie[0]).add(tie[1]);
    if (steps > 0) {
      rings = ringsOf(drawn, chosen, steps);
      visible = new Set([chosen, ...rings.flat()]);
      drawn = drawn.filter((tie) => visible.has(tie[0]) && visible.has(tie[1]));
    }
  }
  return { drawn, visible, rings };
}

// How much of the network that is, in words.
export function said({ names, ties }, { left, community, strongest }, drawn, visible) {
  if (!ties.length) return "No node reads another: the model knows the variables as independent.";
  const weakest = drawn.reduce((low, tie) => Math.min(low, strength(tie)), Infinity);
  const of = (some, all) => `${some.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  return `${of(drawn.length, ties.length + left)} links, ${drawn.length ? `${bits(weakest)} and more, ` : ""}`
    + `among ${of(visible.size, names.length)} variables`
    + (community === null ? "" : `; only those around ${names[strongest[community]]}`);
}

// The matrix: its variables in order, communities together, and the strength of each cell [from, to].
export function gridOf({ names, total, groups, ties }, { left }, visible, drawn) {
  const strongest = [...visible].sort((a, b) => total[b] - total[a]).slice(0, MOST_IN_MATRIX);
  const order = strongest.sort((a, b) => groups[a] - groups[b] || total[b] - total[a]);
  const of = new Map();
  let most = 1e-12;
  for (const [first, second, forward, backward] of drawn) {
    if (forward !== null) of.set(first * names.length + second, forward);
    if (backward !== null) of.set(second * names.length + first, backward);
    most = Math.max(most, forward ?? 0, backward ?? 0);
  }
  const none = drawn.length === ties.length + left ? "no link" : "no link among those shown";
  return { order: Object.freeze(order), cells: Object.freeze({ of, most, none }) };
}
