// The editor of the one who sits here: a place of the source, named by an id, is opened in it.
//   EDITOR-1. Which program runs is said by the environment of the inspector alone, and which file by the compiled source: a request names
//     a diagnostic, a drill or a scenario, never a path.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import type { EditorPlace, EditorRequest } from '../contract/inspector/inspector.js';
import type { ProjectView } from '../contract/run/project-view.js';

/** The words of `DRILLYARD_EDITOR`: a program and its arguments, in which `{file}` and `{line}` stand for the place. */
export type EditorCommand = readonly string[];

export function editorOf(environment: { [name: string]: string | undefined }): EditorCommand | undefined {
  const words = (environment.DRILLYARD_EDITOR ?? '').split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return undefined;
  return words.some((word) => word.includes('{file}')) ? words : [...words, '{file}:{line}'];
}

export function placeOf({ diagnostics, drills, scenarios }: ProjectView, { diagnostic, drillId, scenarioId }: EditorRequest): EditorPlace {
  const found =
    diagnostic !== undefined
      ? diagnostics[diagnostic]
      : (drills.find(({ id }) => id === drillId) ?? scenarios.find(({ id }) => id === scenarioId))?.provenance;
  if (found === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'The source has no such place.' });
  return { file: found.file, line: found.line };
}

/** Does not wait for its end. Rejects where it cannot be started. */
export async function openInEditor(command: EditorCommand, root: string, { file, line }: EditorPlace): Promise<void> {
  const path = resolve(root, file);
  const [program = '', ...words] = command.map((word) => word.replaceAll('{file}', path).replaceAll('{line}', String(line)));
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  await new Promise<void>((started, failed) => {
    child.once('spawn', () => started());
    child.once('error', (error: NodeJS.ErrnoException) =>
      failed(new ServiceError('control.STATE_CONFLICT', { message: `The editor could not be started: ${error.code ?? error.message}.` })),
    );
  });
  child.unref();
}
