// How far something is, as text.
import { tuning } from './tuning.js';

/** `████████░░░░░░░░  33%`; while the total is not known, nothing. */
export function barText(done: number, total: number): string {
  if (total <= 0) return '…';
  const share = Math.min(Math.max(done / total, 0), 1);
  const full = Math.floor(share * tuning.progressColumns);
  return `${'█'.repeat(full)}${'░'.repeat(tuning.progressColumns - full)} ${String(Math.floor(share * 100)).padStart(3)}%`;
}
