// What led to the entry that is looked at, and what it led to, as arrows from mark to mark. The pane says the same in words.
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { type EntryContext, flowOf } from './entry-context.tsx';
import type { TimelinePicture } from './timeline-picture.ts';
import { tuning } from './tuning.js';

interface FlowProps {
  context: EntryContext;
  picture: TimelinePicture;
  /** Where a position of the axis, and the middle of a lane, lie in the drawing. */
  xOf: (position: number) => number;
  yOf: (lane: number) => number;
  widthPx: number;
}

interface Point {
  x: number;
  y: number;
}

type Link = [kind: 'cause' | 'effect', from: EvidenceEntry, to: EvidenceEntry];

function linksOf(context: EntryContext): Link[] {
  const { entry } = context;
  const { before, after } = flowOf(context);
  // Faults that hit it are no steps of one way: each leads to it.
  const way = [...before.filter(({ kind }) => kind !== 'fault'), entry];
  return [
    ...after.map((effect): Link => ['effect', entry, effect]),
    ...way.slice(1).map((to, index): Link => ['cause', way[index]!, to]),
    ...before.filter(({ kind }) => kind === 'fault').map((fault): Link => ['cause', fault, entry]),
  ];
}

export function Flow({ context, picture, xOf, yOf, widthPx }: FlowProps) {
  const pointOf = (of: EvidenceEntry): Point | undefined => {
    const position = picture.positionOf(of);
    return position === undefined ? undefined : { x: xOf(position), y: yOf(picture.laneAt(of)) };
  };
  return (
    <g class="flow">
      <defs>
        {['cause', 'effect'].map((kind) => (
          <marker key={kind} id={`flow-${kind}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path class={`flow-head ${kind}`} d="M0 0.5 L8 4 L0 7.5 z" />
          </marker>
        ))}
      </defs>
      {linksOf(context)
        .slice(-tuning.flowArrowsMax)
        .map(([kind, from, to]) => {
          const [begin, end] = [pointOf(from), pointOf(to)];
          const shape = begin === undefined || end === undefined ? undefined : arrowOf(begin, end, widthPx);
          return (
            shape !== undefined && (
              <path
                key={`${from.sequence} ${to.sequence}`}
                class={`flow-arrow ${kind}`}
                data-from={from.sequence}
                data-to={to.sequence}
                d={shape}
                marker-end={`url(#flow-${kind})`}
              />
            )
          );
        })}
    </g>
  );
}

/** Undefined where nothing of it is in sight, or both marks are one. */
function arrowOf(begin: Point, end: Point, widthPx: number): string | undefined {
  if (Math.max(begin.x, end.x) < 0 || Math.min(begin.x, end.x) > widthPx) return undefined;
  // What lies far outside is drawn to just outside: browsers place points of millions of pixels badly.
  const near = (x: number): number => Math.min(Math.max(x, -widthPx), 2 * widthPx);
  const [from, to] = [near(begin.x), near(end.x)];
  const ahead = to >= from ? 1 : -1;
  const isApart = Math.abs(to - from) > 3 * tuning.flowStartPx;
  if (begin.y === end.y) {
    if (!isApart) return undefined;
    const top = begin.y - tuning.lanePx / 2;
    return `M${from} ${begin.y - tuning.flowStartPx} C${from + 8 * ahead} ${top - 4}, ${to - 8 * ahead} ${top - 4}, ${to} ${end.y - tuning.flowStartPx}`;
  }
  const down = end.y > begin.y ? 1 : -1;
  if (!isApart) return `M${from} ${begin.y + tuning.flowStartPx * down} L${to} ${end.y - tuning.flowStartPx * down}`;
  const bend = Math.max(Math.abs(to - from) / 2, 12) * ahead;
  return `M${from + tuning.flowStartPx * ahead} ${begin.y} C${from + bend} ${begin.y}, ${to - bend} ${end.y}, ${to - tuning.flowStartPx * ahead} ${end.y}`;
}
