// This very command line for agents that start it by its name: a folder that holds nothing else, for the front of a PATH. A run from a
// clone, or of one version among several, then gives its agents the version that runs them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ownProgramName = 'drillyard';
const program = fileURLToPath(new URL('../../../../bin/drillyard.js', import.meta.url));

export class OwnProgram {
  #folder: string | undefined;
  readonly #removeAtExit = (): void => this.remove();

  /** Made when somebody asks; it goes with this process, however that ends itself. */
  folder(): string {
    if (this.#folder === undefined) {
      this.#folder = mkdtempSync(join(tmpdir(), 'drillyard-bin-'));
      process.on('exit', this.#removeAtExit);
      const [name, text] = process.platform === 'win32' ? [`${ownProgramName}.cmd`, batch()] : [ownProgramName, script()];
      writeFileSync(join(this.#folder, name), text, { mode: 0o755 });
    }
    return this.#folder;
  }

  remove(): void {
    process.off('exit', this.#removeAtExit);
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}

function script(): string {
  const quoted = [process.execPath, program].map((part) => `'${part.replaceAll("'", "'\\''")}'`);
  return `#!/bin/sh\nexec ${quoted.join(' ')} "$@"\n`;
}

function batch(): string {
  return `@"${process.execPath}" "${program}" %*\r\n`;
}
