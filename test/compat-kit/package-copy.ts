// A copy of the fixture's package beside its vendor's client, to be changed by a test.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type VerifyPackageOptions, type VerifyPackageResult, verifyToolPackage } from '../../src/compat-kit/verify.js';

const fixture = fileURLToPath(new URL('../../../test/fixtures/compat', import.meta.url));

export interface PackageCopy {
  folder: string;
  read(path: string): string;
  write(path: string, text: string): void;
  /** Throws where the text is not there. */
  replace(path: string, from: string, to: string): void;
  verify(options?: Omit<VerifyPackageOptions, 'folder'>): Promise<VerifyPackageResult>;
  remove(): void;
}

export function copyPackage(): PackageCopy {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-compat-kit-'));
  const folder = join(root, 'package');
  cpSync(join(fixture, 'package'), folder, { recursive: true });
  cpSync(join(fixture, 'client'), join(root, 'node_modules', 'notes-client'), { recursive: true });
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  return {
    folder,
    read,
    write,
    replace: (path, from, to) => {
      const text = read(path);
      if (!text.includes(from)) throw new Error(`${path} has no '${from}'`);
      write(path, text.replace(from, to));
    },
    verify: (options = {}) => verifyToolPackage({ folder, concurrency: 1, ...options }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
