// Entry of the command line (bin/drillyard.js): runs the program and ends with its exit code.
import { CommanderError } from 'commander';
import { packageVersion } from '../files/installation.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { createOutput, goOnWithoutReader } from './output.js';

export async function main(args: readonly string[]): Promise<void> {
  const outputIsLost = goOnWithoutReader();
  let code: ExitCode = exitCodes.passed;
  try {
    code = hasCurrentFolder() ? await runProgram(args) : await refuseWithoutFolder(args);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version were asked for; everything else commander ends with is bad usage, and it has said so to people.
    code = error.exitCode === 0 ? exitCodes.passed : exitCodes.usage;
    const json = args.includes('--json') && code === exitCodes.usage;
    createOutput({ json }).line({ event: 'error', code: 'control.INVALID_REQUEST', message: error.message.replace(/^error: /, '') });
  }
  // Not process.exit: what was written to a pipe must leave first.
  process.exitCode = code;
  process.on('exit', () => {
    if (outputIsLost() && process.exitCode === exitCodes.passed) process.exitCode = exitCodes.failed;
  });
}

async function runProgram(args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCodes.passed;
  const finish = (ended: ExitCode): void => {
    code = ended;
  };
  const create =
    args[0] === 'world' ? (await import('./program/world.js')).createWorldProgram : (await import('./program.js')).createProgram;
  const program = create({ version: packageVersion(), finish });
  const mistake = args[0] === 'world' ? undefined : (await import('./program/run.js')).mistypedCommand(program, args);
  if (mistake !== undefined) program.error(mistake);
  await program.parseAsync([...args], { from: 'user' });
  return code;
}

/** Nothing that a command is given has a place without one, and Node.js throws wherever it is asked for. */
function hasCurrentFolder(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

async function refuseWithoutFolder(args: readonly string[]): Promise<ExitCode> {
  const message = 'The folder that this was started in does not exist any more. Start it in another one.';
  const output = createOutput({ json: args.includes('--json') });
  const { ServiceError } = await import('../contract/errors.js');
  const { reportFailure } = await import('./failure.js');
  return reportFailure(new ServiceError('control.NOT_FOUND', { message }), output, '/');
}

/** For a process that runs one command after another: threads of one serve the next (docs/decisions/021). */
export async function keepThreads(): Promise<void> {
  (await import('../workers/kept-threads.js')).keepThreads();
}
