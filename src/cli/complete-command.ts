// `drillyard completion <shell>` prints the script; `drillyard complete <kind>`, which the script calls, lists ids of the project in reach.
// Nothing is compiled, run or written for that, and nothing is said of what is wrong: a shell waits for it at every Tab.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { libraryFolder } from '../compiler/shipped.js';
import { listFilesBelow } from '../compiler/source-files.js';
import type { JsonValue } from '../contract/json.js';
import { isRunId } from '../reports/report-folder.js';
import { usualReports } from '../reports/report-path.js';
import { completionScript, type ListedKind, type Shell } from './completion.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { documentOf, memberOf, sourceRootOf } from './root-file.js';
import { tuning } from './tuning.js';

export function completionCommand(program: Command, shell: Shell): ExitCode {
  process.stdout.write(completionScript(program, shell));
  return exitCodes.passed;
}

export function completeCommand({ kind, root, config = 'drillyard.json' }: { kind: ListedKind; root: string; config?: string }): ExitCode {
  const words = kind === 'library' ? libraryIds() : kind === 'runs' ? runIds(usualReports(root)) : idsOf(kind, resolve(root), config);
  // What would be taken for several words, or for something else by a shell, is nothing to complete.
  const plain = [...new Set(words)].filter((word) => /^[\w.:@/-]+$/.test(word)).sort();
  if (plain.length > 0) process.stdout.write(`${plain.join('\n')}\n`);
  return exitCodes.passed;
}

function libraryIds(): string[] {
  const entries = readdirSync(libraryFolder(), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `library:${name}`);
}

/** The newest: ids of runs are ordered by time. */
function runIds(reports: string): string[] {
  const ids = existsSync(reports) ? readdirSync(reports).filter(isRunId).sort().slice(-tuning.runsCompleted) : [];
  return ids.length === 0 ? [] : [...ids, 'latest'];
}

function idsOf(kind: Exclude<ListedKind, 'library' | 'runs'>, root: string, config: string): string[] {
  const folder = sourceRootOf(root, config);
  if (folder === undefined) return [];
  const suffix = kind === 'tags' ? 'drill' : kind.slice(0, -1);
  const files = listFilesBelow(resolve(root, folder)).files.filter((path) => new RegExp(`\\.${suffix}\\.(yaml|yml|json)$`).test(path));
  return files.flatMap((path) => {
    const document = documentOf(resolve(root, folder), path);
    if (kind === 'tags') return strings(memberOf(document, 'tags'));
    const ids = strings([memberOf(kind === 'targets' ? memberOf(document, 'target') : document, 'id') ?? null]);
    return kind === 'drills' ? [...ids, ...caseIds(document, (file) => documentOf(resolve(root, folder, dirname(path)), file))] : ids;
  });
}

function caseIds(drill: JsonValue | undefined, read: (file: string) => JsonValue | undefined): string[] {
  const cases = memberOf(drill, 'cases');
  const file = memberOf(cases, 'file');
  const list = typeof file === 'string' ? read(file) : cases;
  return Array.isArray(list) ? list.map((one) => `${memberOf(drill, 'id')}-${memberOf(one, 'id')}`) : [];
}

function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
