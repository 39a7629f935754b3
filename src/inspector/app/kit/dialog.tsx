// A dialog over the page. The browser keeps the focus in it and closes it with Escape; once it is gone the focus is where it was before.
// Keys of the page rest while it is open (viewer/kit/taken-key.tsx).
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  class: string;
  label: string;
  /** Takes it away. */
  onClose: () => void;
  /** A press beside it closes it, too: only where nothing that was entered would be lost. */
  closesBeside?: boolean;
  children: ComponentChildren;
}

export function Dialog({ class: look, label, onClose, closesBeside = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={look}
      aria-label={label}
      // Escape: the event below comes later, and a key that is pressed before it must not take the dialog for an open one.
      onCancel={(event) => event.target === dialog.current && onClose()}
      // The browser queues this event: a dialog that is gone by then must not close the one that was opened since.
      onClose={() => dialog.current !== null && onClose()}
      onClick={(event) => closesBeside && event.target === dialog.current && onClose()}
    >
      {children}
    </dialog>
  );
}

/** With its title in sight. What is filled in first has `autofocus`. */
export function TitledDialog({ class: look, label, onClose, children }: Omit<DialogProps, 'closesBeside'>) {
  return (
    <Dialog class={look} label={label} onClose={onClose}>
      <header class="row">
        <h2 class="grow">{label}</h2>
        <button type="button" class="icon" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </Dialog>
  );
}
