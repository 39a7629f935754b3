// `drillyard admin cluster`: the machines of a service.
import { type Command, InvalidArgumentError } from 'commander';
import type { MoveFlags } from '../admin-cluster.js';
import type { AdminConnection } from '../admin-connection.js';
import { connectionOptions } from './admin-options.js';
import type { Finish } from './options.js';

export function addCluster(admin: Command, finish: Finish): void {
  const group = admin.command('cluster').description('the nodes and homes of a service of several machines');
  const add = (name: string, description: string): Command => connectionOptions(group.command(name).description(description));
  const load = () => import('../admin-cluster.js');
  add('status', 'nodes, homes and the log, as the node that is asked sees them')
    .option('--homes', 'a row for every home; otherwise only for those that are on their way, closed or wanted on a node', false)
    .action(async (flags: AdminConnection & { homes: boolean }) => finish(await (await load()).clusterActions.status(flags, flags)));
  add('drain', 'have a node give its homes away, and take none until it ends or this is undone')
    .argument('<node>', 'its name')
    .option('--undo', 'let it have homes again', false)
    .option('--no-wait', 'do not wait until it has no homes')
    .action(async (node: string, flags: AdminConnection & { undo: boolean; wait: boolean }) =>
      finish(await (await load()).clusterActions.drain(flags, node, flags)),
    );
  add('move', 'move homes to a node, and keep them there wherever that can be')
    .argument('[home...]', 'their numbers; default all', (text: string, before: number[] = []) => [...before, homeNumber(text)])
    .option('--to <node>', 'its name; its copies must be warm')
    .option('--by-rank', 'in place of --to: let the rank of nodes decide again', false)
    .option('--when-warm', 'also where a copy is not warm: they move when it is', false)
    .option('--no-wait', 'do not wait until they have moved')
    .action(async (homes: number[] | undefined, flags: Omit<AdminConnection, 'to'> & MoveFlags) =>
      finish(await (await load()).clusterActions.move(flags, homes ?? [], flags)),
    );
}

function homeNumber(text: string): number {
  if (!/^(0|[1-9]\d{0,3})$/.test(text)) throw new InvalidArgumentError('It must be the number of a home.');
  return Number(text);
}
