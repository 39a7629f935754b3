// Where the part in sight lies on the whole timeline: a strip above it, which moves the part to where it is pressed. Keys pan instead.
import { useRef } from 'preact/hooks';
import type { TimelinePicture } from './timeline-picture.ts';
import { type AxisView, panned, wholeAxis } from './timeline-scale.js';
import { tuning } from './tuning.js';

interface MinimapProps {
  /** Of the whole axis. */
  picture: TimelinePicture;
  view: AxisView;
  widthPx: number;
  onView: (view: AxisView) => void;
}

export function Minimap({ picture, view, widthPx, onView }: MinimapProps) {
  const isPressed = useRef(false);
  const whole = wholeAxis(picture.length);
  const xOf = (position: number): number => ((position - whole.from) / (whole.to - whole.from)) * widthPx;
  const go = (event: PointerEvent): void => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    const middle = whole.from + ((event.clientX - left) / width) * (whole.to - whole.from);
    onView(panned(view, picture.length, middle - (view.from + view.to) / 2));
  };
  return (
    <svg
      class="minimap"
      width={widthPx}
      height={tuning.minimapPx}
      aria-hidden="true"
      onPointerDown={(event) => {
        isPressed.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => isPressed.current && go(event)}
      onPointerUp={() => {
        isPressed.current = false;
      }}
    >
      {picture.bars(whole, widthPx).map((bar) => (
        <rect key={`${bar.lane} ${bar.x}`} class="minimap-entry" x={bar.x} width={Math.max(bar.widthPx, 1)} height={tuning.minimapPx} />
      ))}
      {picture.marks(whole, widthPx).map(({ x, lane, tone }) => (
        <rect key={`${lane} ${x}`} class={`minimap-entry tone-${tone}`} x={x - 1} width={2} height={tuning.minimapPx} />
      ))}
      <rect
        class="minimap-window"
        x={Math.max(xOf(view.from), 0)}
        width={Math.max(xOf(view.to) - Math.max(xOf(view.from), 0), 4)}
        height={tuning.minimapPx}
      />
    </svg>
  );
}
