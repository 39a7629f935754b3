// Whether a key is not the page's: it is text being written, or a dialog is open, wherever the focus is. Shortcuts leave it alone.
export function isTakenKey(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (document.querySelector('dialog[open]') !== null) return true;
  if (target instanceof HTMLInputElement) return !/^(range|checkbox)$/.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}
