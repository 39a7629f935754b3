// Which file a command names, found as a shell would find it, but on the host's PATH, which the target itself does not get.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { RunError } from '../../contract/run/run.js';
import { runError } from '../ports/run-error.js';

/** `node` is the Node.js this runs on; a path is relative to the working directory. */
export function findExecutable(name: string, directory: string): string | RunError {
  if (name === 'node') return process.execPath;
  const isPath = name.includes('/');
  const candidates = isPath ? [resolve(directory, name)] : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  const there = candidates.filter(isFile);
  const found = there.find(mayRun);
  if (found !== undefined) return found;
  if (there[0] !== undefined) return runError('target.NOT_EXECUTABLE', `"${there[0]}" is not executable.`);
  const place = isPath ? `seen from ${directory}` : "on this machine's PATH";
  // A whole command line in the place of its program.
  const advice = /\S\s+\S/.test(name) ? ' It is started without a shell: what follows the program belongs in the list "arguments".' : '';
  return runError('target.EXECUTABLE_NOT_FOUND', `There is no executable "${name}" ${place}.${advice}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
