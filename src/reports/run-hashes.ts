// The hashes of a run, in the order in which people read them: what it was made from, then what came of it.
import type { RunResult } from '../contract/run/run.js';

export function runHashes({ identity, stateHash, evidenceHash, trajectoryHash }: RunResult): [name: string, hash: string][] {
  return [
    ['build', identity.buildHash],
    ['packages', identity.packageLockHash],
    ['setup', identity.setupHash],
    ['state', stateHash],
    ['evidence', evidenceHash],
    ['trajectory', trajectoryHash],
  ];
}
