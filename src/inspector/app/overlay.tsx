// A dialog over the page: the browser keeps the focus in it, and gives it back where it was.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { overlay } from './state/session.tsx';

export function Overlay({ label, children }: { label: string; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const close = (): void => {
    overlay.value = undefined;
  };
  return (
    <dialog
      ref={dialog}
      class="overlay"
      aria-label={label}
      // The browser queues this event: a dialog that is gone by then must not close the one that was opened since.
      onClose={() => dialog.current !== null && close()}
      onClick={(event) => event.target === dialog.current && close()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="overlay-body">{children}</div>
    </dialog>
  );
}
