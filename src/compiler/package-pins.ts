// The pin of a package: a digest of the files that a build reads of it, which are its tool file, its package.json, its starter and the
// modules of its behavior. What else lies in its folder (documentation, a conformance project) may change. Line ends count, and a byte
// order mark does not, as when a source is sent to a service.
import { sha256Digest } from '../contract/digest.js';
import { limits } from '../contract/limits.js';
import type { ToolPin } from '../contract/run/project-files.js';
import { type SourceTreeFile, sourceTreeDigest } from '../contract/source-digest.js';
import { compareTexts } from '../text/compare-texts.js';
import { nearest } from '../text/nearest.js';
import type { Diagnostics } from './diagnostics.js';
import type { SourceDocument } from './source-document.js';
import { readFileBelow } from './source-files.js';
import type { CompiledSource } from './tool-compile.js';

export function packagePin({ folder, document, starter, files }: CompiledSource): string {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const shown = [document, ...(starter === undefined ? [] : [starter])].map(({ file }) => file.slice(folder.shownAs.length));
  for (const path of ['package.json', ...shown]) {
    const read = readFileBelow(folder.root, path, limits.projectFileBytesMax);
    if (read.kind === 'text') texts.set(path, read.text);
  }
  const digests = [...texts].map(([path, text]): SourceTreeFile => ({ path, digest: sha256Digest(text), bytes: Buffer.byteLength(text) }));
  return sourceTreeDigest(digests.sort((a, b) => compareTexts(a.path, b.path)));
}

/** Reports each package that is not what its pin says, and pins of what `toolPackages` does not name. */
export function checkPins(
  diagnostics: Diagnostics,
  rootFile: SourceDocument,
  { pins, entries, tools }: { pins: { [entry: string]: ToolPin }; entries: readonly string[]; tools: readonly CompiledSource[] },
): void {
  for (const [entry, { digest, from }] of Object.entries(pins)) {
    const path = `/toolPins/${entry.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!entries.includes(entry)) {
      const near = nearest(entry, entries);
      diagnostics.report('DY5035', rootFile.place(path, 'key'), `'toolPackages' has no entry '${entry}'`, {
        suggestion: near === undefined ? 'Take the pin away.' : `Did you mean '${near}'?`,
      });
    }
    const tool = tools.find((candidate) => candidate.entry === entry);
    const found = tool && packagePin(tool);
    if (found === undefined || found === digest) continue;
    const origin = from === undefined ? '' : ` (${from})`;
    diagnostics.report('DY5034', rootFile.place(`${path}/digest`), `'${entry}' is not what was added${origin}: its digest is ${found}`, {
      suggestion: entry.startsWith('.')
        ? `Put back its files, or take it as it is now with 'drillyard tool add ${entry}'.`
        : 'Install the version that was pinned, or write the digest of this one.',
    });
  }
}
