import { test } from 'node:test';
import { conformanceHomes, rules } from './log-conformance.js';
import { MemoryLog } from './memory-log.js';

for (const [rule, ask] of Object.entries(rules))
  test(`log in memory: ${rule}`, async () => {
    const log = new MemoryLog({ homes: conformanceHomes });
    await ask(async (node) => log.door(node));
  });
