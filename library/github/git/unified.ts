// A unified diff of files, as `git diff` prints it.
import type { FileChange } from './merge.js';

const noBlob = '0'.repeat(40);
const shortId = 7;

export function unifiedDiff(changes: readonly FileChange[]): string {
  return changes.map((change) => `${linesOf(change).join('\n')}\n`).join('');
}

function linesOf({ path, status, sha, before = noBlob, patch }: FileChange): string[] {
  const after = status === 'removed' ? noBlob : sha;
  const [from, to] = [status === 'added' ? '/dev/null' : `a/${path}`, status === 'removed' ? '/dev/null' : `b/${path}`];
  const mode = status === 'modified' ? [] : [`${status === 'added' ? 'new' : 'deleted'} file mode 100644`];
  const index = `index ${before.slice(0, shortId)}..${after.slice(0, shortId)}${status === 'modified' ? ' 100644' : ''}`;
  const head = [`diff --git a/${path} b/${path}`, ...mode, index];
  if (patch === undefined) return [...head, `Binary files ${from} and ${to} differ`];
  return patch === '' ? head : [...head, `--- ${from}`, `+++ ${to}`, patch];
}
