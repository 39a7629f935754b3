// What the commands' definitions share: options that mean the same everywhere, and what an option's text becomes.
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from '../exit-codes.js';

/** Gets what the process shall end with. */
export type Finish = (code: ExitCode) => void;

export function rootCommand(version: string): Command {
  return (
    new Command('drillyard')
      .description(
        'Drill software agents against deterministic synthetic worlds, and prove with evidence whether they did the right thing.',
      )
      .version(version)
      // One form for every mistake, found by commander or by us.
      .configureOutput({ outputError: (text, write) => write(text.replace(/^(?:error:? )?/, 'error ')) })
      .showHelpAfterError('(drillyard --help lists what there is)')
      .exitOverride()
  );
}

export const rootOption = () => new Option('--root <folder>', 'the repository').default('.');
export const configOption = () =>
  new Option('--config <file>', 'the root file, relative to the repository or anywhere else').default(undefined, 'drillyard.json');
export const jsonOption = () => new Option('--json', 'one JSON object a line on stdout and nothing else there').default(false);

export const receiverOption = () =>
  new Option(
    '--receiver <id=url>',
    'where callbacks for a receiver go, on this machine; its secret is in DRILLYARD_RECEIVER_SECRET_<ID> (repeatable)',
  )
    .argParser(collect)
    .default([], 'none');

export interface SourceCommandFlags {
  root: string;
  config?: string;
  json: boolean;
}

export function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

export function integer(text: string): number {
  if (!/^-?\d{1,16}$/.test(text)) throw new InvalidArgumentError('It must be an integer.');
  return Number(text);
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a positive integer.');
  return Number(text);
}
