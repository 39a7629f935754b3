// Authors: what turns a prompt and the present files into changes. An adapter, as a target is: `manual` changes come with the turn,
// those of `command` from a process that gets prompt and files as JSON on stdin and answers with `{"changes": [...]}`.
import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, resolve } from 'node:path';
import { ServiceError } from '../../contract/errors.js';
import type { SourceChange } from '../../contract/hosted/source.js';
import { limits } from '../../contract/limits.js';
import type { Diagnostic } from '../../contract/run/build.js';
import { validateAuthorAnswer } from '../../contract/validate/validators.js';
import type { Access } from '../../drills/ports/bindings-port.js';
import { type JsonCommand, runJsonCommand } from '../../drills/targets/json-command.js';
import { Redactor } from '../../drills/targets/redaction.js';
import { bounded, boundedInBox } from '../../processes/bounds.js';
import { boxed, inEveryBox, runtimeFolders } from '../../processes/bubblewrap.js';
import type { ControlSettings } from '../catalog/settings.js';
import type { Blobs } from '../core/services.js';
import { readSourceFile, type SourceTree } from '../source/source-trees.js';

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
const noAccess: Access = { endpoints: {}, observed: () => false, unanswered: () => undefined, revoke: async () => {} };
/** What a process needs to find its own programs, and nothing of the server's. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];

export type AuthorSettings = Pick<ControlSettings, 'author' | 'isolation' | 'dataDirectory' | 'keyFile'>;

export async function askCommandAuthor(settings: AuthorSettings, input: AuthorInvocation, signal: AbortSignal): Promise<SourceChange[]> {
  if (settings.author === undefined) throw new ServiceError('control.STATE_CONFLICT', { message: 'This server has no author command.' });
  const { executable, arguments: args, timeoutMs } = settings.author;
  const environment = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const work = { access: noAccess, timeoutMs, signal, redactor: new Redactor([]) };
  const run = await runJsonCommand({
    executable,
    arguments: args,
    directory: tmpdir(),
    environment,
    input,
    ...work,
    ...enclosed(settings, environment),
  });
  if (run.status === 'cancelled') throw signal.reason;
  if (run.error !== undefined) throw authorFailed(`The author failed: ${run.error.message}`, { code: run.error.code });
  const answer = validateAuthorAnswer(run.output ?? {});
  if (answer.ok) return answer.value.changes;
  throw new ServiceError('control.SOURCE_INVALID', {
    message: 'The author answered with something else than changes.',
    issues: answer.issues,
  });
}

/** In its box it sees the runtime, the folder of its program, what its arguments name by a full path, and a /tmp of its own. */
function enclosed(
  { author, isolation, dataDirectory, keyFile }: AuthorSettings,
  environment: NodeJS.ProcessEnv,
): Pick<JsonCommand, 'enclose'> {
  if (isolation === 'thread') return {};
  const bounds = {
    memoryBytesMax: limits.authorProcessMemoryBytesMax,
    cpuPercentMax: limits.authorCpuPercentMax,
    cpuWeight: limits.authorCpuWeight,
    processesMax: limits.authorProcessesMax,
  };
  if (isolation === 'process') return { enclose: (command) => bounded(command, bounds) };
  return {
    enclose: (command) => {
      const program = realpathSync(command.file);
      const named = command.args.filter((argument) => isAbsolute(argument) && existsSync(argument));
      const places = new Set([dirname(command.file), dirname(program), ...named].filter((place) => place !== '/' && !inEveryBox(place)));
      const folders = [...places].map((place) => ({ outside: place, inside: place, writable: false }));
      return bounded(
        boxed(boundedInBox(command, bounds), {
          folders: [...runtimeFolders(), ...folders],
          // The program's folders may lie in the data directory, or around it.
          hidden: [resolve(dataDirectory), ...(keyFile === undefined ? [] : [keyFile])],
          environment: { ...environment, HOME: '/tmp', TMPDIR: '/tmp' },
          openNetwork: author?.openNetwork === true,
        }),
        bounds,
      );
    },
  };
}

export async function filesFor(tree: SourceTree, blobs: Blobs): Promise<AuthorInvocation['files']> {
  const files: AuthorInvocation['files'] = [];
  for (const path of [...tree.keys()].sort()) files.push({ path, content: (await readSourceFile(tree, path, blobs)) ?? '' });
  return files;
}

function authorFailed(message: string, details: { code: string }): ServiceError {
  return new ServiceError('control.SOURCE_INVALID', { message, details });
}
