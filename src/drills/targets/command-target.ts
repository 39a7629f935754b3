// A command target: one process an interaction. The invocation goes in as JSON on stdin; stdout is nothing or one JSON value, stderr is the log.
import type { CommandTarget } from '../../contract/target.js';
import { runError } from '../run-error.js';
import { commandEnvironment } from './command-environment.js';
import { failedRun, runJsonCommand } from './json-command.js';
import { pathInside } from './repository-path.js';
import type { TargetRequest, TargetRun, TargetRunner } from './target-run.js';

export interface CommandOptions {
  root: string;
  prefixes: readonly string[];
}

export function commandTarget(target: CommandTarget, options: CommandOptions): TargetRunner {
  return { run: (request) => runCommand(target, options, request), release: async () => {} };
}

async function runCommand(target: CommandTarget, { root, prefixes }: CommandOptions, request: TargetRequest): Promise<TargetRun> {
  const directory = pathInside(root, target.workingDirectory ?? '.');
  if (directory === undefined) {
    return failedRun(runError('target.SPAWN_FAILED', `The working directory "${target.workingDirectory}" does not exist inside the repository.`));
  }
  const { invocation: input, access, timeoutMs, signal } = request;
  const environment = commandEnvironment({ target, access, prefixes, host: process.env });
  return await runJsonCommand({
    executable: target.executable,
    arguments: target.arguments,
    directory,
    environment,
    input,
    access,
    timeoutMs,
    signal,
  });
}
