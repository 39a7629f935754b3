// What code of ours asks of its loader. A module has Node.js for that. In the bundles of the program their loader stands in for this file
// (bundle-loader.ts), as a script has no way to modules, and what it loads is kept compiled.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** What is not known before: a module of a user, or of a host. */
export const importModule = (specifier: string): Promise<unknown> => import(specifier);

/** A file of this program that is no module, and loads nothing itself. */
export const requireFile = (file: URL): unknown => require(fileURLToPath(file));

/** What was compiled until now is worth keeping: a thread says so once it has done what it is for, as nobody hears of its end. */
export function keepCompiled(): void {}
