// What ships with this installation: the library of tool packages, the examples.
import { join } from 'node:path';
import { installation } from '../files/installation.js';

export function libraryFolder(): string {
  return join(installation().root, 'library');
}

/** The example that a new server begins with. */
export function exampleFolder(): string {
  return join(installation().root, 'examples', '01-support-desk');
}
