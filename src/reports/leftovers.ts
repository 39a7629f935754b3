// Drafts: report folders that are being written, and what is left of them when a writer was killed.
//   LEFTOVERS-1. A draft goes only when its process is gone and nobody has touched it for a while. Either alone could be wrong: a process
//     of another container has no id here, and one that was suspended touches nothing.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../contract/limits.js';
import { isRunId } from './report-folder.js';

/** Six characters of the system's choice follow. */
export function draftPrefix(name: string): string {
  return `.${name}.${process.pid}.`;
}

const draftPattern = /^\.([^.]+)\.(\d+)\.[A-Za-z0-9]{6}$/;
const looked = new Set<string>();

/** Once a process and folder. What cannot be removed stays: the report that is about to be written matters more. */
export async function removeLeftovers(parent: string): Promise<void> {
  if (looked.has(parent)) return;
  looked.add(parent);
  for (const name of await readdir(parent).catch(() => [])) {
    const [, runId, pid] = draftPattern.exec(name) ?? [];
    if (!isRunId(runId) || isRunning(Number(pid))) continue;
    const path = join(parent, name);
    const untouchedMs = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (untouchedMs > limits.reportDraftIdleMs) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
