// The version of the package that runs.
import { readFileSync } from 'node:fs';

/** From dist/src/cli/ and from any build folder directly below the root. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
  return version;
}
