// What the result of a drill follows from, as one digest a drill: a watcher of a repository runs again what has another one.
//   DRILL-INPUTS-1. In it: the drill with its setup, trials and attempts, its target's declaration, every tool of the build, the
//     target's own files, and those of its judges.
//   DRILL-INPUTS-2. The files of a module target, or of a judge, are those its bundle is made of; packages are not looked into. A command
//     target's are the files of the repository that its command names, and those of the same kind below their folders; where it names none,
//     all source below its folder.
import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { judgesOf } from '../../compiler/judge-checks.js';
import { listFilesBelow, readFileBelow } from '../../compiler/source-files.js';
import { jsonDigest } from '../../contract/digest.js';
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { CommandTarget, Target } from '../../contract/run/target.js';
import type { Plan } from '../plan/plan.js';
import { bundleModule } from '../targets/module-bundle.js';
import { pathInside } from '../targets/repository-path.js';

/** By drill id. */
export async function drillInputs(build: CompiledBuild, plan: Plan, root: string): Promise<Map<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-inputs-'));
  try {
    const targets = new Map<string, string>();
    for (const { target } of plan.drills)
      if (!targets.has(target.id)) targets.set(target.id, await targetFiles(target, { root, directory }));
    const modules = new Map<string, string>();
    for (const { module } of plan.drills.flatMap(({ drill }) => judgesOf(drill)))
      if (!modules.has(module)) modules.set(module, await moduleFiles(module, { root, directory }));
    return new Map(
      plan.drills.map((planned) => {
        const { packageLockHash, compat } = build;
        const judges = judgesOf(planned.drill).map(({ module }) => modules.get(module));
        const inputs = {
          planned,
          packageLockHash,
          compat,
          files: targets.get(planned.target.id),
          ...(judges.length === 0 ? {} : { judges }),
        };
        // Absent members are absent in JSON, too.
        return [planned.drill.id, jsonDigest(JSON.parse(JSON.stringify(inputs)) as JsonValue)];
      }),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function targetFiles(target: Target, { root, directory }: { root: string; directory: string }): Promise<string> {
  if (target.kind === 'command') return commandFiles(target, root);
  if (target.kind !== 'module') return '';
  return await moduleFiles(target.module, { root, directory });
}

async function moduleFiles(module: string, { root, directory }: { root: string; directory: string }): Promise<string> {
  const bundle = await bundleModule({ root, module, directory });
  // Named after its text.
  return bundle.kind === 'bundle' ? basename(bundle.url) : bundle.error.message;
}

const sourceExtensions = [
  '.py',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.rb',
  '.go',
  '.rs',
  '.php',
  '.java',
  '.kt',
  '.cs',
  '.sh',
  '.pl',
  '.lua',
  '.ex',
  '.exs',
];

function commandFiles(target: CommandTarget, root: string): string {
  const hash = createHash('sha256');
  for (const path of commandSources(target, root)) {
    const read = readFileBelow(root, path, limits.projectFileBytesMax);
    hash.update(`${path}\n${read.kind === 'text' ? read.text : read.message}\n`);
  }
  return hash.digest('hex');
}

/** Relative to the root, with forward slashes. */
export function commandSources({ executable, arguments: words, workingDirectory = '.' }: CommandTarget, root: string): string[] {
  const folder = resolve(root, workingDirectory);
  const named = [executable, ...words].flatMap((word) => {
    const path = extname(word) === '' && !word.includes('/') ? undefined : pathInside(root, resolve(folder, word));
    return path === undefined ? [] : [path];
  });
  const below = (place: string, extensions: readonly string[]): string[] =>
    listFilesBelow(place)
      .files.filter((path) => extensions.includes(extname(path)))
      .map((path) =>
        relative(realpathSync(root), join(realpathSync(place), path))
          .split(sep)
          .join('/'),
      );
  if (named.length === 0) return below(folder, sourceExtensions);
  return [...new Set(named.flatMap((path) => below(dirname(path), [extname(path)])))];
}
