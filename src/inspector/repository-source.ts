// The files of a repository that its runs follow from, as text to read: documents, tools, agents and judges with what they import. What is
// looked for is looked for in the modules of packages from elsewhere too.
//   REPOSITORY-SOURCE-1. A file is selected by its id; which files there are follows from the compiled source alone.
//   REPOSITORY-SOURCE-2. Nothing outside of the repository, behind a link, or beyond the bounds of one file and of all is read.
import { realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { CompileResult } from '../compiler/compile.js';
import { judgesOf } from '../compiler/judge-checks.js';
import { rootFileIn } from '../compiler/root-file-name.js';
import { entryKind, pathBelow, readFileBelow } from '../compiler/source-files.js';
import { defined } from '../contract/defined.js';
import { sha256Digest } from '../contract/digest.js';
import { ServiceError } from '../contract/errors.js';
import type {
  RepositoryFile,
  SourceFileReply,
  SourceFindQuery,
  SourceFindReply,
  SourceListReply,
  SourceMatch,
  SourcePath,
  SourceRole,
} from '../contract/inspector/source.js';
import { limits } from '../contract/limits.js';
import type { ImplementationSource } from '../contract/run/project-view.js';
import { commandSources } from '../drills/attempt/drill-inputs.js';
import { moduleSources } from '../drills/targets/module-bundle.js';
import { compareTexts } from '../text/compare-texts.js';
import { foldCase } from '../text/fold-case.js';
import { tuning } from './tuning.js';

interface ReadFile extends RepositoryFile {
  content: string;
}
type Searched = Pick<ImplementationSource, 'fileId' | 'displayPath' | 'content'> & { toolId?: string };

export class RepositorySource {
  /** By id, in the order of their paths. */
  readonly #files = new Map<string, ReadFile>();
  /** Modules of tools that do not lie in the repository, by tool and path. */
  readonly #packages: Searched[] = [];
  readonly #unavailable: SourceListReply['unavailable'] = [];
  #bytesLeft: number = limits.sourceSnapshotBytesMax;

  private constructor() {}

  static async read(givenRoot: string, compiled: CompileResult, config?: string): Promise<RepositorySource> {
    const root = realpathSync(givenRoot);
    const source = new RepositorySource();
    const modules = toolModules(compiled);
    const roles = await rolesOf(root, compiled, { config, modules });
    for (const [path, role] of [...roles].sort(([left], [right]) => compareTexts(left, right))) {
      const message = source.#read(root, path, { role, ...defined({ implementationFileId: modules.get(path) }) });
      if (message !== undefined) source.#unavailable.push({ displayPath: path, message });
    }
    const own = new Set([...source.#files.values()].map(({ implementationFileId }) => implementationFileId));
    for (const module of compiled.sources.values()) if (!own.has(module.fileId)) source.#packages.push(module);
    source.#packages.sort((left, right) => compareTexts(placeOf(left), placeOf(right)));
    return source;
  }

  list(): SourceListReply {
    const files = [...this.#files.values()].map(({ content: _, ...file }) => file);
    return { schemaVersion: 1, files, unavailable: this.#unavailable };
  }

  file({ fileId }: SourcePath): SourceFileReply {
    const file = this.#files.get(fileId);
    if (file === undefined)
      throw new ServiceError('control.NOT_FOUND', { message: 'The source has no such file. Its ids are in the list.' });
    return { schemaVersion: 1, source: { ...file, contentHash: sha256Digest(file.content) } };
  }

  find({ q, limit = limits.inspectorSourceMatches }: SourceFindQuery): SourceFindReply {
    const wanted = foldCase(q);
    const matches: SourceMatch[] = [];
    const searched: readonly Searched[] = [...this.#files.values(), ...this.#packages];
    for (const { fileId, displayPath, content, toolId } of searched) {
      for (const [index, line] of content.split(/\r\n|\n|\r/).entries()) {
        const at = foldCase(line).indexOf(wanted);
        if (at < 0) continue;
        if (matches.length === limit) return { schemaVersion: 1, matches, truncated: true };
        matches.push({ fileId, ...defined({ toolId }), displayPath, line: index + 1, text: partAround(line, at) });
      }
    }
    return { schemaVersion: 1, matches, truncated: false };
  }

  /** Why it cannot be shown, where it cannot. */
  #read(root: string, path: string, about: Pick<RepositoryFile, 'role' | 'implementationFileId'>): string | undefined {
    if (this.#files.size >= limits.inspectorSourceFilesMax) return `is one of more than ${limits.inspectorSourceFilesMax} files`;
    const read = readFileBelow(root, path, limits.sourceFileBytesMax);
    if (read.kind === 'fault') return read.message;
    const bytes = read.bytes.byteLength;
    if (bytes > this.#bytesLeft) return `all files together exceed ${limits.sourceSnapshotBytesMax} bytes`;
    this.#bytesLeft -= bytes;
    const fileId = `src_${sha256Digest(`repository\n${path}`).slice('sha256:'.length, 'sha256:'.length + 24)}`;
    this.#files.set(fileId, { fileId, displayPath: path, ...about, bytes, content: read.text });
    return undefined;
  }
}

const placeOf = ({ toolId, displayPath }: Searched): string => `${toolId}/${displayPath}`;

function partAround(line: string, at: number): string {
  if (line.length <= tuning.sourceLineChars) return line;
  const from = Math.max(at - tuning.sourceCharsBefore, 0);
  return line.slice(from, from + tuning.sourceLineChars);
}

/**
 * The modules of tools that lie in the repository, by path: what a tool calls `behavior.ts` lies below the root, or below a folder that
 * its tool file lies in.
 */
function toolModules({ view, files: { files } }: CompileResult): Map<string, string> {
  const known = new Set(files);
  return new Map(
    view.tools.flatMap(({ implementation, provenance }) => {
      const folders = provenance.file.split('/').map((_, index, names) => names.slice(0, index).join('/'));
      return implementation.files.flatMap(({ displayPath, fileId }): [string, string][] => {
        const path = folders.map((folder) => (folder === '' ? displayPath : `${folder}/${displayPath}`)).find((one) => known.has(one));
        return path === undefined ? [] : [[path, fileId]];
      });
    }),
  );
}

/** Of source that does not compile: what of it is known, and what is wrong. */
async function rolesOf(
  root: string,
  { build, view, files }: CompileResult,
  { config, modules }: { config: string | undefined; modules: ReadonlyMap<string, string> },
): Promise<Map<string, SourceRole>> {
  const roles = new Map<string, SourceRole>();
  // The first role that a file is found in is its own.
  const add = (role: SourceRole, paths: readonly string[]): void => {
    for (const path of paths) if (pathBelow(path) !== undefined && !roles.has(path)) roles.set(path, role);
  };
  const below = (path: string): string => relative(root, path).split(sep).join('/');
  const isHere = (path: string): boolean => entryKind(root, path) === 'file';
  add('root', [below(resolve(root, config ?? rootFileIn(root)))]);
  add('tool', [...modules.keys()]);
  add('tool', view.tools.map(({ provenance }) => provenance.file).filter(isHere));
  add('module', (await modulesOf(root, view)).map(below));
  for (const target of view.targets) if (target.kind === 'command') add('module', commandSources(target, root));
  const parts = [view.world, ...view.scenarios, ...view.targets, ...view.drills, ...view.suites];
  add('document', [...new Set(parts.flatMap((part) => part?.provenance.file ?? []))]);
  add('document', files.files);
  if (build === undefined) add('document', view.diagnostics.map(({ file }) => file).filter(isHere));
  return roles;
}

/** By real paths; what lies outside of the repository is none of its source. */
async function modulesOf(root: string, { targets, drills }: CompileResult['view']): Promise<string[]> {
  const named = [
    ...targets.flatMap((target) => (target.kind === 'module' ? [target.module] : [])),
    ...drills.flatMap((drill) => judgesOf(drill).map(({ module }) => module)),
  ];
  const found = await Promise.all([...new Set(named)].map((module) => moduleSources({ root, module })));
  return [...new Set(found.flat())].filter((path) => path.startsWith(root + sep));
}
