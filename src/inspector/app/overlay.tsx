// What lies over every page: the palette, the help.
import type { ComponentChildren } from 'preact';
import { Dialog } from './kit/dialog.tsx';
import { overlay } from './state/session.tsx';

export function Overlay({ label, children }: { label: string; children: ComponentChildren }) {
  const close = (): void => {
    overlay.value = undefined;
  };
  return (
    <Dialog class="overlay" label={label} onClose={close} closesBeside>
      <div class="overlay-body">{children}</div>
    </Dialog>
  );
}
