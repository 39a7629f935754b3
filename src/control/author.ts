// Authors: what turns a prompt and the present files into changes. An adapter, as a target is: `manual` changes come with the turn,
// those of `command` from a process that gets prompt and files as JSON on stdin and answers with `{"changes": [...]}`.
import { tmpdir } from 'node:os';
import type { Diagnostic } from '../contract/build.js';
import { ServiceError } from '../contract/errors.js';
import type { SourceChange } from '../contract/hosted-source.js';
import { validateAuthorAnswer } from '../contract/validators.js';
import type { Access } from '../drills/bindings-port.js';
import { runJsonCommand } from '../drills/targets/json-command.js';
import { Redactor } from '../drills/targets/redaction.js';
import type { Blobs } from './services.js';
import type { ControlSettings } from './settings.js';
import { readSourceFile, type SourceTree } from './source-trees.js';

/** What a command author reads on stdin. */
export interface AuthorInvocation {
  schemaVersion: 1;
  authoringSessionId: string;
  turnId: string;
  prompt: string;
  files: { path: string; content: string }[];
  /** Of the files as they are. */
  diagnostics: Diagnostic[];
}

/** An author touches no world. */
const noAccess: Access = { endpoints: {}, observed: () => false, revoke: async () => {} };
/** What a process needs to find its own programs, and nothing of the server's. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];

export async function askCommandAuthor(
  { executable, arguments: args, timeoutMs }: NonNullable<ControlSettings['author']>,
  input: AuthorInvocation,
  signal: AbortSignal,
): Promise<SourceChange[]> {
  const environment = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const work = { access: noAccess, timeoutMs, signal, redactor: new Redactor([]) };
  const run = await runJsonCommand({ executable, arguments: args, directory: tmpdir(), environment, input, ...work });
  if (run.status === 'cancelled') throw signal.reason;
  if (run.error !== undefined) throw authorFailed(`The author failed: ${run.error.message}`, { code: run.error.code });
  const answer = validateAuthorAnswer(run.output ?? {});
  if (answer.ok) return answer.value.changes;
  throw new ServiceError('control.SOURCE_INVALID', { message: 'The author answered with something else than changes.', issues: answer.issues });
}

export async function filesFor(tree: SourceTree, blobs: Blobs): Promise<AuthorInvocation['files']> {
  const files: AuthorInvocation['files'] = [];
  for (const path of [...tree.keys()].sort()) files.push({ path, content: (await readSourceFile(tree, path, blobs)) ?? '' });
  return files;
}

function authorFailed(message: string, details: { code: string }): ServiceError {
  return new ServiceError('control.SOURCE_INVALID', { message, details });
}
