// The drawing inside the timeline: bands of interactions, bars of how much, marks of what. Pointer only: the journal below is its text.
import { useState } from 'preact/hooks';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { visibleLine } from '../text/visible-text.js';
import type { EntryContext } from './entry-context.tsx';
import { Flow } from './timeline-flow.tsx';
import type { Band, MarkGroup, TimelinePicture } from './timeline-picture.ts';
import type { AxisView } from './timeline-scale.js';
import { tuning } from './tuning.js';

export interface TimelineDrawingProps {
  picture: TimelinePicture;
  view: AxisView;
  widthPx: number;
  selected: EvidenceEntry | undefined;
  context: EntryContext | undefined;
  /** What the journal is narrowed to. */
  stretch: AxisView | undefined;
  onSelect: (sequence: number) => void;
}

export function TimelineDrawing({ picture, view, widthPx, selected, context, stretch, onSelect }: TimelineDrawingProps) {
  const [tip, setTip] = useState<MarkGroup | undefined>();
  const heightPx = tuning.timelineTopPx + picture.lanes.length * tuning.lanePx + 8;
  const at = (position: number): number => ((position - view.from) / (view.to - view.from)) * widthPx;
  const cursor = selected === undefined ? undefined : picture.positionOf(selected);
  const middle = (lane: number): number => tuning.timelineTopPx + lane * tuning.lanePx + tuning.lanePx / 2;
  return (
    <>
      <svg class="timeline-drawing" width={widthPx} height={heightPx} viewBox={`0 0 ${widthPx} ${heightPx}`} aria-hidden="true">
        {picture.ticks(view, widthPx).map((tick) => (
          <g key={tick.x}>
            <line class="tick" x1={tick.x} x2={tick.x} y1={tuning.timelineTopPx - 8} y2={heightPx} />
            <text
              class="tick-text"
              {...(tick.x > widthPx - tuning.tickTextPx ? { x: tick.x - 4, 'text-anchor': 'end' } : { x: tick.x + 4 })}
              y={14}
            >
              {tick.text}
            </text>
          </g>
        ))}
        {stretch !== undefined && <StretchShape from={at(stretch.from)} to={at(stretch.to)} widthPx={widthPx} heightPx={heightPx} />}
        {picture.bands(view, widthPx).map((band) => (
          <BandShape key={band.x} band={band} heightPx={heightPx} />
        ))}
        {picture.lanes.map((name, lane) => (
          <line key={name} class="lane-line" x1={0} x2={widthPx} y1={middle(lane)} y2={middle(lane)} />
        ))}
        {picture.bars(view, widthPx).map((bar) => {
          const tall = Math.max(bar.share * (tuning.lanePx - 6), 2);
          return (
            <rect
              key={`${bar.lane} ${bar.x}`}
              class="bar"
              x={bar.x}
              y={middle(bar.lane) + (tuning.lanePx - 6) / 2 - tall}
              width={bar.widthPx}
              height={tall}
              onClick={() => onSelect(bar.sequence)}
            >
              <title>{`${bar.count.toLocaleString('en-US')} entries`}</title>
            </rect>
          );
        })}
        {cursor !== undefined && <line class="cursor" x1={at(cursor)} x2={at(cursor)} y1={tuning.timelineTopPx - 14} y2={heightPx} />}
        {context !== undefined && context.entry.sequence === selected?.sequence && (
          <Flow context={context} picture={picture} xOf={at} yOf={middle} widthPx={widthPx} />
        )}
        {picture.marks(view, widthPx).map((mark) => (
          <MarkShape key={`${mark.lane} ${mark.sequence}`} mark={mark} y={middle(mark.lane)} onSelect={onSelect} onTip={setTip} />
        ))}
      </svg>
      {tip !== undefined && (
        <div
          class="tip"
          role="presentation"
          style={{
            top: `${middle(tip.lane) + 14}px`,
            ...(tip.x > widthPx / 2 ? { right: `${widthPx - tip.x}px` } : { left: `${tip.x}px` }),
          }}
        >
          <strong>#{tip.sequence}</strong> {visibleLine(tip.label)}
          {tip.count > 1 && <span class="quiet"> and {tip.count - 1} more here</span>}
        </div>
      )}
    </>
  );
}

/** A stretch of one place is seen, too. */
function StretchShape({ from, to, widthPx, heightPx }: { from: number; to: number; widthPx: number; heightPx: number }) {
  const [left, right] = [Math.max(from - tuning.flowStartPx, -2), Math.min(to + tuning.flowStartPx, widthPx + 2)];
  return right < left ? null : <rect class="stretch" x={left} width={right - left} y={0} height={heightPx} />;
}

function BandShape({ band: { x, widthPx, text }, heightPx }: { band: Band; heightPx: number }) {
  const fits = Math.floor((widthPx - 12) / tuning.charPx);
  return (
    <g>
      <rect class="band" x={x} y={tuning.timelineTopPx - 13} width={widthPx} height={heightPx - tuning.timelineTopPx + 13} rx={4} />
      {fits >= 6 && (
        <text class="band-text" x={x + 6} y={tuning.timelineTopPx - 2}>
          {text.length > fits ? `${text.slice(0, fits - 1)}…` : text}
        </text>
      )}
    </g>
  );
}

function MarkShape({
  mark,
  y,
  onSelect,
  onTip,
}: {
  mark: MarkGroup;
  y: number;
  onSelect: (sequence: number) => void;
  onTip: (mark: MarkGroup | undefined) => void;
}) {
  const radius = mark.count > 1 ? 9 : 5;
  return (
    <g
      class={`mark tone-${mark.tone}`}
      onClick={() => onSelect(mark.sequence)}
      onPointerEnter={() => onTip(mark)}
      onPointerLeave={() => onTip(undefined)}
    >
      <circle cx={mark.x} cy={y} r={radius} />
      {mark.count > 1 && (
        <text class="mark-count" x={mark.x} y={y + 3.5}>
          {mark.count > 99 ? '99+' : mark.count}
        </text>
      )}
    </g>
  );
}
