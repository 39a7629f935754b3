// `drillyard tool search [words...]` and `drillyard tool inspect <package>`: what the library has, and what a package asks for.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Diagnostics, placeOfFile } from '../compiler/diagnostics.js';
import { type LibraryPackage, readLibrary, readPackageAt } from '../compiler/library.js';
import { listFilesBelow, realRoot } from '../compiler/source-files.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import { counted, grouped } from '../text/counted.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import type { Output } from './output.js';
import { packageFolder } from './package-folder.js';

export function toolSearchCommand({ words, json }: { words: readonly string[]; json: boolean }): Promise<ExitCode> {
  return sayFailures({ json }, process.cwd(), (output) => search(words, output));
}

async function search(words: readonly string[], output: Output): Promise<ExitCode> {
  const packages = (await readLibrary()).filter((found) => {
    const text = [found.libraryEntryId, found.description ?? '', ...found.manifest.operations.map(({ id }) => id)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word.toLowerCase()));
  });
  for (const { libraryEntryId, lifecycle, description, manifest, packageArchiveDigest } of packages) {
    const { version, operations, http } = manifest;
    const counts = { operations: operations.length, routes: http.length };
    output.line({
      event: 'package',
      package: `library:${libraryEntryId}`,
      version,
      lifecycle,
      description,
      ...counts,
      digest: packageArchiveDigest,
    });
    const state = lifecycle === 'active' ? '' : ` (${lifecycle})`;
    const parts = [counted(counts.operations, 'operation'), counted(counts.routes, 'route')].join(', ');
    if (!output.json)
      output.say(`library:${libraryEntryId} ${version}${state}: ${parts}${description === undefined ? '' : `\n  ${description}`}`);
  }
  output.line({ event: 'summary', packages: packages.length });
  if (!output.json && packages.length === 0) output.say('The library has no such package.');
  return packages.length === 0 ? exitCodes.failed : exitCodes.passed;
}

export function toolInspectCommand({ tool, json }: { tool: string; json: boolean }): Promise<ExitCode> {
  return sayFailures({ json }, process.cwd(), (output) => inspect(tool, output));
}

function requireFolder(folder: string): void {
  if (realRoot(folder) !== undefined) return;
  const diagnostics = new Diagnostics();
  diagnostics.report('DY5001', placeOfFile('package.json'), `there is no folder '${folder}'`);
  throw new SourceInvalidError(diagnostics.sorted());
}

async function inspect(tool: string, output: Output): Promise<ExitCode> {
  const folder = packageFolder(tool);
  requireFolder(folder);
  const found = await readPackageAt({ root: folder, shownAs: '' });
  if ('diagnostics' in found) throw new SourceInvalidError(found.diagnostics);
  const facts = { ...factsOf(found), ...sizeOf(folder) };
  output.line({ event: 'package', ...facts });
  if (output.json) return exitCodes.passed;
  const { packageId, version, engine, lifecycle, description, digest, files, bytes } = facts;
  output.say(`${packageId} ${version} (${lifecycle}), for Drillyard ${engine}${description === undefined ? '' : `\n${description}`}`);
  output.say(`${counted(files, 'file')}, ${grouped(bytes)} bytes, ${digest}`);
  output.say(`pin: ${facts.pin}`);
  for (const [name, ids] of Object.entries(facts.parts))
    output.say(`${name} (${ids.length})${ids.length === 0 ? '' : `: ${ids.join(', ')}`}`);
  output.say('An actor that may do all of it has these grants:');
  for (const id of facts.parts.operations) output.say(`  - { packageId: ${packageId}, operationId: ${id} }`);
  return exitCodes.passed;
}

function factsOf({ manifest, lifecycle, description, packageArchiveDigest, pin }: LibraryPackage) {
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
  return {
    packageId: manifest.id,
    version: manifest.version,
    engine: manifest.engine,
    lifecycle,
    description,
    digest: packageArchiveDigest,
    pin,
    parts: {
      capabilities: [...manifest.capabilities] as string[],
      namespaces: manifest.state.map(({ namespace }) => namespace),
      operations: ids(manifest.operations),
      routes: manifest.http.map(({ method, path }) => `${method} ${path}`),
      events: ids(manifest.events),
      subscriptions: ids(manifest.subscriptions),
      faults: ids(manifest.faults),
      callbacks: ids(manifest.callbacks),
    },
  };
}

function sizeOf(folder: string): { files: number; bytes: number } {
  const { files } = listFilesBelow(folder);
  return { files: files.length, bytes: files.reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0) };
}
