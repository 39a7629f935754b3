import { test } from 'node:test';
import { MemoryLog } from '../../src/cluster/memory-log.js';
import { conformanceHomes, rules } from './log-conformance.js';

// MEMORY-LOG-1
for (const [rule, ask] of Object.entries(rules))
  test(`log in memory: ${rule}`, async () => {
    const log = new MemoryLog({ homes: conformanceHomes });
    await ask(async (node) => log.door(node));
  });
