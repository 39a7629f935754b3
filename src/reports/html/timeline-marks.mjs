// What the timeline draws: a lane for each actor and for each kind of thing that happens by itself, and marks, joined where they would
// touch.
import { failingAt } from './page-data.mjs';

const laneNames = {
  event: 'Events',
  fault: 'Faults',
  fault_control: 'Faults',
  state_change: 'State',
  callback: 'Callbacks',
  clock: 'Clock',
  verification: 'Checks',
  lifecycle: 'World',
  random: 'Random',
};
const laneOrder = ['Events', 'Callbacks', 'Faults', 'State', 'Random', 'Clock', 'Checks', 'World'];

/** The lanes that have something in them: actors in order of appearance, then the others. Each holds indexes into `rows`. */
export function lanesOf(rows) {
  const actors = new Map();
  const others = new Map();
  rows.forEach(({ entry }, index) => {
    const [lanes, name] =
      entry.kind === 'operation'
        ? [actors, entry.actorInstanceId === undefined ? entry.actorId : `${entry.actorId}@${entry.actorInstanceId}`]
        : [others, laneNames[entry.kind]];
    if (lanes.has(name)) lanes.get(name).push(index);
    else lanes.set(name, [index]);
  });
  const named = (lanes, names) => names.filter((name) => lanes.has(name)).map((name) => ({ name, indexes: lanes.get(name) }));
  return [...named(actors, [...actors.keys()]), ...named(others, laneOrder)];
}

/**
 * The marks of a lane in view: one an entry, or one for all that lie within `joinWidth` of each other.
 * @returns {{ x: number, indexes: number[], tone: string, cited: boolean }[]}
 */
export function marksOf(indexes, { rows, xOf, width, joinWidth }) {
  const marks = [];
  for (const index of indexes) {
    const x = xOf(index);
    if (x < -10 || x > width + 10) continue;
    const last = marks.at(-1);
    const tone = toneOf(rows[index]);
    const cited = failingAt(rows[index].entry.sequence).length > 0;
    // A mark that stands for several is larger.
    if (last !== undefined && x - last.x < (last.indexes.length > 1 ? 2 * joinWidth : joinWidth)) {
      last.indexes.push(index);
      last.cited ||= cited;
      if (tones.indexOf(tone) > tones.indexOf(last.tone)) last.tone = tone;
    } else marks.push({ x, indexes: [index], tone, cited });
  }
  return marks;
}

/** The least to the most worth seeing. */
const tones = ['planned', 'plain', 'good', 'fault', 'bad'];

function toneOf({ entry, problem }) {
  if (entry.kind === 'fault' || entry.kind === 'fault_control') return 'fault';
  if (problem) return 'bad';
  if (entry.kind === 'operation' || entry.kind === 'verification') return 'good';
  return entry.kind === 'event' && entry.phase === 'scheduled' ? 'planned' : 'plain';
}
