// What the subcommands of `drillyard admin` share: one way to ask the service as its operator, and one way to show a row.
import pc from 'picocolors';
import type { Client } from '../client/client.js';
import { ControlError } from '../client/control-error.js';
import { visibleLine } from '../text/visible-text.js';
import { type AdminConnection, operatorClient } from './admin-connection.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput, type Output } from './output.js';

export async function asked(
  { json, ...connection }: AdminConnection,
  work: (client: Client, output: Output) => Promise<void>,
): Promise<ExitCode> {
  const output = createOutput({ json });
  try {
    await work(await operatorClient(connection), output);
    return exitCodes.passed;
  } catch (error) {
    if (!(error instanceof ControlError)) return reportFailure(error, output, process.cwd());
    const { code, message, issues = [] } = error.envelope;
    output.line({ event: 'error', ...error.envelope });
    const places = issues.map(({ path, message }) => `${path} ${message}`).join('; ');
    output.warn(`${pc.red('error')} ${code}: ${visibleLine(places === '' ? message : `${message} (${places})`)}`);
    return [400, 404, 422].includes(error.status) ? exitCodes.usage : exitCodes.failed;
  }
}

export const columns = (cells: readonly string[]): string =>
  cells.map((cell, place) => (place === cells.length - 1 ? cell : cell.padEnd(24))).join('  ');

export function tell(output: Output, event: string, one: object, cells: readonly string[]): void {
  output.line({ event, ...one });
  if (!output.json) output.say(columns(cells));
}
