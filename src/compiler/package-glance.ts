// What can be known of one tool package without compiling it: where it lies, what it is called, what it gives a new world to start with.
import { defined } from '../contract/defined.js';
import { validateToolStarter } from '../contract/validate/validators.js';
import type { ToolStarter } from '../contract/world/tool-manifest.js';
import { ContentCache } from '../files/content-cache.js';
import { Diagnostics } from './diagnostics.js';
import { readDocument, validated } from './project-documents.js';
import { describePackage, locatePackage } from './tool-packages.js';

export interface PackageGlance {
  /** Real and absolute. */
  folder: string;
  packageId?: string;
  starter?: ToolStarter;
}

/** undefined: there is no such package. What is wrong with one is reported when it is compiled. */
export function glancePackage(specifier: string, base: string): PackageGlance | undefined {
  const located = locatePackage(specifier, base);
  if ('message' in located) return undefined;
  const diagnostics = new Diagnostics();
  const found = describePackage(diagnostics, located);
  if (found === undefined) return { folder: located.root };
  const cache = ContentCache.ofUser();
  const file = readDocument(diagnostics, found.root, found.toolFile, { cache })?.value as
    | { manifest?: { id?: unknown } }
    | null
    | undefined;
  const document = found.starter === undefined ? undefined : readDocument(diagnostics, found.root, found.starter, { cache });
  const starter = document && validated(diagnostics, document, validateToolStarter);
  const id = file?.manifest?.id;
  return { folder: found.root, ...(typeof id === 'string' ? { packageId: id } : {}), ...defined({ starter }) };
}
