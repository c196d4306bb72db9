// Where variables are drawn, in pixels of the chart: all of them, some of them, or those around one.

export const NARROW = 600; // pixels
const MOST_APART = 170; // pixels between neighbours of a small network
const RING = 14; // places on the first ring before a second one is begun beside it

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

// A variable in the middle, those that are one step away on a ring around it, those two steps away outside. They keep the
// order in which they were around it before, so that a reader finds them again.
export function around(places, middle, rings, width, height) {
  const at = places.map(() => [width / 2, height / 2]);
  const room = [width / 2 - Math.min(90, width / 6), height / 2 - 40];
  const turn = (v) => Math.atan2(places[v][1] - places[middle][1], places[v][0] - places[middle][0]);
  const reach = rings.length > 1 && rings[1].length ? [0.5, 1] : [0.85];
  rings.forEach((ring, step) => {
    const order = [...ring].sort((a, b) => turn(a) - turn(b) || a - b);
    order.forEach((v, k) => {
      const angle = (2 * Math.PI * (k + 0.5 * (step % 2))) / order.length - Math.PI;
      const stagger = order.length > RING ? [1, 0.78, 0.89][k % 3] : 1;
      const radius = (reach[step] ?? 1) * stagger;
      at[v] = [width / 2 + room[0] * radius * Math.cos(angle), height / 2 + room[1] * radius * Math.sin(angle)];
    });
  });
  return at;
}

// The variables one step from the first, two steps from it, ...: none twice.
export function ringsOf(ties, variable, steps) {
  const seen = new Set([variable]);
  const rings = [];
  let edge = seen;
  for (let step = 0; step < steps; step++) {
    const further = new Set();
    for (const [first, second] of ties) {
      if (edge.has(first) && !seen.has(second)) further.add(second);
      if (edge.has(second) && !seen.has(first)) further.add(first);
    }
    for (const v of further) seen.add(v);
    rings.push([...further]);
    edge = further;
  }
  return rings;
}

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
