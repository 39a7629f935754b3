#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { buildCacheFolder } from '../dist/src/files/user-cache-folder.js';

// Node 22 and later keep what they compiled of this program for the next command; 20 has no such thing.
const folder = buildCacheFolder();
if (folder !== undefined) module.enableCompileCache?.(join(folder, 'node'));
const { main } = await import('../dist/src/cli/main.js');
await main(process.argv.slice(2));
