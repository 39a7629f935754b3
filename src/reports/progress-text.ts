// How far something is, as text.

const columns = 24;

/** `████████░░░░░░░░  33%`; while the total is not known, nothing. */
export function barText(done: number, total: number): string {
  if (total <= 0) return '…';
  const share = Math.min(Math.max(done / total, 0), 1);
  const full = Math.floor(share * columns);
  return `${'█'.repeat(full)}${'░'.repeat(columns - full)} ${String(Math.floor(share * 100)).padStart(3)}%`;
}
