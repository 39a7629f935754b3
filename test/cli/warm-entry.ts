// The process of warm-cli.ts: plays the commands it is sent, one after another, until its parent is gone.
import { pathToFileURL } from 'node:url';
import { keepThreads, main } from '../../src/cli/main.js';

export interface Command {
  args: string[];
  cwd: string;
  env: { [name: string]: string };
}
/** No program writes this: what stands before it belongs to the command. */
export const endOfCommand = '\0end of command\0';

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await keepThreads();
  // Each command adds listeners for the process it thinks is its own.
  for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
  process.on('message', (command: Command) => void play(command));
  process.on('disconnect', () => process.exit());
}

async function play({ args, cwd, env }: Command): Promise<void> {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = undefined;
  const home = process.cwd();
  process.chdir(cwd);
  await main(args);
  process.chdir(home);
  process.stdout.write(`${endOfCommand}\n`);
  process.stderr.write(`${endOfCommand}${process.exitCode ?? 0}${endOfCommand}\n`);
}
