// `drillyard world`: an agent's way to its world, a subcommand each. An agent starts it for every call, so it is a program of its own too,
// which loads nothing of the others.
import { Argument, type Command } from 'commander';
import { defined } from '../../contract/defined.js';
import { type Finish, integer, rootCommand } from './options.js';

export function createWorldProgram({ version, finish }: { version: string; finish: Finish }): Command {
  const program = rootCommand(version);
  addWorld(program, finish);
  return program;
}

export function addWorld(program: Command, finish: Finish): void {
  const world = program
    .command('world')
    .description("an agent's way to its world: needs SERVICE_CLI_URL and SERVICE_CLI_TOKEN; answers are JSON");
  world
    .command('tools')
    .description('the operations the actor is granted')
    .action(async () => finish(await (await import('../world-command.js')).worldTools()));
  world
    .command('call')
    .description('call an operation')
    .argument('<package>', 'such as ticket-desk')
    .argument('<operation>', 'such as ticket.get')
    .addArgument(new Argument('[arguments]', 'JSON; - reads it from stdin').default('{}'))
    .option('--instance <id>', 'the instance of the package')
    .option('--idempotency-key <key>', 'the same key gives the same result')
    .action(async (packageId: string, operationId: string, args: string, { instance, idempotencyKey }) => {
      const { worldCall } = await import('../world-command.js');
      finish(
        await worldCall({
          packageId,
          operationId,
          args,
          ...defined({ instanceId: instance as string | undefined, idempotencyKey: idempotencyKey as string | undefined }),
        }),
      );
    });
  world
    .command('wait')
    .description('wait until a virtual time, or for the next event; needs the grant world/clock.wait')
    .argument('[untilUs]', 'microseconds of virtual time', integer)
    .action(async (untilUs: number | undefined) => finish(await (await import('../world-command.js')).worldWait(untilUs)));
  world
    .command('mcp')
    .description('serve the world as an MCP server on stdin and stdout; with SERVICE_MCP_URL and SERVICE_MCP_TOKEN too')
    .action(async () => finish(await (await import('../world-mcp-command.js')).worldMcp()));
}
