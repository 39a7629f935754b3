// A command target: one process an interaction. The invocation goes in as JSON on stdin; stdout is nothing or one JSON value, stderr is the
// log, and what lies in its folder of attachments when it has ended is attached.
import { delimiter, join } from 'node:path';
import { defined } from '../../contract/defined.js';
import type { RunError } from '../../contract/run/run.js';
import type { CommandTarget } from '../../contract/run/target.js';
import { runError } from '../ports/run-error.js';
import { AttachmentFolder } from './attachment-folder.js';
import { hostEnvironment, underPrefixes, unsetVariables } from './command-environment.js';
import { failedRun, runJsonCommand } from './json-command.js';
import { type OwnProgram, ownProgramName } from './own-program.js';
import { pathInside } from './repository-path.js';
import type { TargetKind, TargetWork } from './target-kind.js';
import type { TargetRun } from './target-run.js';

export interface CommandTargetOptions {
  root: string;
  prefixes: readonly string[];
  program: OwnProgram;
}

export function commandTarget(target: CommandTarget, options: CommandTargetOptions): TargetKind {
  return { run: (work) => runCommand(target, options, work), release: async () => {} };
}

async function runCommand(target: CommandTarget, { root, prefixes, program }: CommandTargetOptions, work: TargetWork): Promise<TargetRun> {
  const directory = pathInside(root, target.workingDirectory ?? '.');
  if (directory === undefined) {
    return failedRun(
      runError('target.SPAWN_FAILED', `The working directory "${target.workingDirectory}" does not exist inside the repository.`),
    );
  }
  const { arguments: args } = target;
  // As `node` is this Node.js, `drillyard` is this program.
  const executable = target.executable === ownProgramName ? join(program.folder(), ownProgramName) : target.executable;
  const attachmentFolder = new AttachmentFolder();
  try {
    const { invocation: input, access, timeoutMs, signal, redactor, say } = work;
    const folder = underPrefixes({ SERVICE_ATTACHMENTS_DIR: attachmentFolder.path }, prefixes);
    const host = hostEnvironment(target, process.env);
    if (host.PATH !== undefined) host.PATH = [program.folder(), host.PATH].join(delimiter);
    const environment = { ...host, ...folder, ...work.environment };
    const command = { executable, arguments: args, directory, environment, input, access, timeoutMs, signal, redactor };
    const run = await runJsonCommand({ ...command, ...defined({ say }) });
    const { files, refusals } = attachmentFolder.collect();
    return { ...run, ...defined({ error: withUnset(run.error, unsetVariables(target, process.env)) }), files, refusals };
  } finally {
    await attachmentFolder.remove();
  }
}

/** The likeliest reason of a bad exit on a machine that lacks a secret. */
function withUnset(error: RunError | undefined, unset: readonly string[]): RunError | undefined {
  if (error?.code !== 'target.EXIT_CODE' || unset.length === 0) return error;
  return {
    ...error,
    message: `${error.message} Of its environmentFromHost, ${unset.join(', ')} ${unset.length > 1 ? 'are' : 'is'} not set here.`,
  };
}
