// What chooses drills, for every command that works on some of them.
import { type Command, InvalidArgumentError } from 'commander';
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import { parseShard, type Shard } from '../../drills/plan/shard.js';
import { collect, integer } from './options.js';

export function withSelection(command: Command): Command {
  return command
    .argument('[drills...]', 'drill ids; default: the suite "default" where there is one, else all')
    .option('--suite <id>', 'the drills of this suite')
    .option('--tag <tag>', 'of those, drills that carry this tag (repeatable)', collect, [])
    .option('--filter <text>', 'of those, drills whose id or title contains this; * stands for anything')
    .option('--trials <n>', 'trials a drill, instead of its own', integer)
    .option('--trial <n>', 'of every drill, this trial alone, with the seed that it has among all of them', integer)
    .option('--retries <n>', 'further attempts of a trial that did not pass', integer)
    .option('--shard <i/n>', 'of those, the part of machine i of n: whole drills, chosen by their ids', shardOf)
    .option('--seed <n>', "instead of the world's seed; 'fresh': one that is made for this command")
    .option('--concurrency <n>', 'attempts at once; changes no result', integer);
}

export interface SelectionFlags {
  tag: string[];
  suite?: string;
  filter?: string;
  shard?: Shard;
  trials?: number;
  trial?: number;
  retries?: number;
  seed?: string;
  concurrency?: number;
}

export function selection(drills: string[], { tag, suite, filter, shard, trials, trial, retries, seed, concurrency }: SelectionFlags) {
  return defined({ drills, tags: tag, suite, filter, shard, trials, trial, retries, seed, concurrency });
}

function shardOf(text: string): Shard {
  const shard = parseShard(text);
  if (shard === undefined)
    throw new InvalidArgumentError(`It must be i/n with i from 1 to n, such as 1/3, and n at most ${limits.runShardsMax}.`);
  return shard;
}
