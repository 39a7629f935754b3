// The port of a repository: the same at every start, so that links to its runs and tabs that are open stay good.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tuning } from './tuning.js';

/** In the order in which they are tried; the last is any that is free. */
export function repositoryPorts(root: string): number[] {
  const first = createHash('sha256').update(realpathSync(root)).digest().readUInt32BE(0);
  const { repositoryPortMin, repositoryPorts: span, repositoryPortTries } = tuning;
  return [...Array.from({ length: repositoryPortTries }, (_, step) => repositoryPortMin + ((first + step) % span)), 0];
}
