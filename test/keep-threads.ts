// Loaded before each process of the tests (scripts/test.mjs): a test file opens worlds again and again, and each start of a host's thread
// costs what hundreds of calls do. A process that a test starts as a user does keeps none.
import { isMainThread } from 'node:worker_threads';
import { keepThreads } from '../src/workers/kept-threads.js';

if (isMainThread) keepThreads();
