// The timeline's picture: ticks, lanes with their marks, and beside them the legend and the density of a journal too long for the page.
import { h, svg } from './dom.mjs';
import { selectedSequence } from './entry-drawer.mjs';
import { data, positionOf, rows } from './page-data.mjs';
import { marksOf } from './timeline-marks.mjs';
import { virtualClock, virtualDuration } from './virtual-time.mjs';

const laneHeight = 30;
/** With room for the names of interactions. */
const namedLaneHeight = 44;
const axisHeight = 34;
const joinWidth = 9;
const tickGap = 104;
const densityHeight = 36;

/** The lanes with their heights and the middle of their marks, one below the other; and the height of all. */
export function layLanes(lanes) {
  let top = axisHeight;
  const laid = lanes.map((lane) => {
    const height = data.interactions.some((interaction) => interaction.actor === lane.name) ? namedLaneHeight : laneHeight;
    top += height;
    return { ...lane, height, y: top - laneHeight / 2 };
  });
  return { lanes: laid, height: top };
}

/** Tick labels, as many as fit, and a line at every one that is labeled. `xAt` maps positions of the axis to pixels. */
export function drawTicks({ ticks }, { xAt, width, height, elastic }) {
  const drawn = [];
  let free = 0;
  for (const { position, timeUs, gapUs } of ticks) {
    const x = xAt(position);
    if (x < free || x > width - 40) continue;
    free = x + tickGap;
    const after = elastic && gapUs > 0 ? `, ${virtualDuration(gapUs)} after the entry before` : '';
    const label = svg('text', { class: 'tick-text', x: x + 3, y: 13 }, `+${virtualDuration(timeUs - data.startedAtUs)}`);
    label.append(svg('title', {}, `${virtualClock(timeUs)}${after}`));
    drawn.push(svg('line', { class: 'tick', x1: x, x2: x, y1: 16, y2: height }), label);
  }
  return drawn;
}

/** `onPoint` is called with a mark's `{ x, y, indexes }` when the pointer is on it, and with null when it left. */
export function drawLane({ name, indexes, y }, { xOf, width, onPoint }) {
  const marks = marksOf(indexes, { rows, xOf, width, joinWidth });
  return [
    svg('line', { class: 'lane-line', x1: 0, x2: width, y1: y, y2: y }),
    ...bands(name, { y, xOf, width }),
    ...marks.map((mark) => drawMark(mark, y, onPoint)),
  ];
}

/** From the first to the last call of each interaction of the actor. */
function bands(actor, { y, xOf, width }) {
  return data.interactions
    .filter((interaction) => interaction.actor === actor)
    .flatMap(({ id, calls }) => {
      const from = xOf(positionOf(calls[0])) - 11;
      const to = xOf(positionOf(calls.at(-1))) + 11;
      if (to < 0 || from > width) return [];
      const band = svg(
        'rect',
        { class: 'band', x: from, y: y - 26, width: to - from, height: 38, rx: 8 },
        svg('title', {}, `interaction ${id}`),
      );
      return to - from < id.length * 6.5 + 16 ? [band] : [band, svg('text', { class: 'band-text', x: from + 8, y: y - 14 }, id)];
    });
}

/** How far each move of the clock reaches; only a linear axis can show it. */
export function drawClockMoves({ indexes, y }, { xOf, pixelsPerUs }) {
  return indexes.map((index) => {
    const { fromUs, toUs } = rows[index].entry;
    const end = xOf(index);
    return svg('line', { class: 'clock-bar', x1: end - (toUs - fromUs) * pixelsPerUs, x2: end, y1: y, y2: y });
  });
}

function drawMark({ x, indexes, tone, cited }, y, onPoint) {
  const many = indexes.length > 1;
  const chosen = indexes.some((index) => rows[index].entry.sequence === selectedSequence());
  const classes = ['mark', `tone-${tone}`, cited ? 'cited' : '', chosen ? 'chosen' : ''].filter(Boolean).join(' ');
  const radius = many ? 8 : 5;
  const mark = svg(
    'g',
    { class: classes, 'data-index': indexes[0], 'data-last': indexes.at(-1) },
    svg('circle', { cx: x, cy: y, r: radius }),
  );
  if (cited) mark.prepend(svg('circle', { class: 'ring', cx: x, cy: y, r: radius + 4 }));
  if (many) mark.append(svg('text', { class: 'mark-count', x, y: y + 3.5 }, indexes.length > 99 ? '99+' : String(indexes.length)));
  mark.addEventListener('pointerenter', () => onPoint({ x, y, indexes }));
  mark.addEventListener('pointerleave', () => onPoint(null));
  return mark;
}

export function legend() {
  const items = [
    ['tone-good', 'call, check'],
    ['tone-bad', 'refused or failed'],
    ['tone-fault', 'fault'],
    ['tone-planned', 'scheduled'],
    ['tone-plain', 'everything else'],
    ['cited', 'evidence of what did not hold'],
  ];
  const sample = (tone) => {
    const ring = tone === 'cited' ? svg('circle', { class: 'ring', cx: 9, cy: 9, r: 8 }) : null;
    return svg(
      'svg',
      { viewBox: '0 0 18 18', 'aria-hidden': 'true' },
      svg('g', { class: `mark ${tone}` }, ring, svg('circle', { cx: 9, cy: 9, r: 5 })),
    );
  };
  return h('p', { class: 'legend' }, ...items.map(([tone, text]) => h('span', {}, sample(tone), ` ${text}`)));
}

/** How all entries spread over virtual time. */
export function densityChart() {
  const most = Math.max(...data.density, 1);
  const bars = data.density.map((many, index) => {
    const height = many === 0 ? 0 : Math.max((Math.log1p(many) / Math.log1p(most)) * densityHeight, 1);
    return svg(
      'rect',
      { class: 'density-bar', x: index * 4, y: densityHeight - height, width: 3, height },
      svg('title', {}, `${many} entries`),
    );
  });
  const size = { viewBox: `0 0 ${data.density.length * 4} ${densityHeight}`, preserveAspectRatio: 'none' };
  const note = `All ${data.total} entries over virtual time (bars grow with the logarithm); the marks above are the ${rows.length} in this page.`;
  return h(
    'div',
    {},
    h('p', { class: 'quiet' }, note),
    svg('svg', { class: 'density', ...size, role: 'img', 'aria-label': 'Entries over virtual time' }, ...bars),
  );
}
