// Loaded before each process of the tests (scripts/test.mjs), before node:test is. The runner follows each promise and each timer from its
// making to its end, so that an error outside of a test is reported with its test: a seventh of the processor's time in a group that drives
// worlds. Here it follows suites and tests alone, which it needs for `describe`. Such an error is then one of the file, no less a failure;
// with --apart the runner follows everything, and names the test.
import asyncHooks from 'node:async_hooks';

const { AsyncResource, createHook } = asyncHooks;
type Init = NonNullable<Parameters<typeof createHook>[0]['init']>;
let init: Init | undefined;

/** node:test's suites and tests are made of it, once this file is loaded. */
class ReportedResource extends AsyncResource {
  constructor(type: string, options?: ConstructorParameters<typeof AsyncResource>[1]) {
    super(type, options);
    init?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }
}

/** The first is the runner's, which is made when the first suite or test is. */
function makeHook(callbacks: Parameters<typeof createHook>[0]): asyncHooks.AsyncHook {
  if (init !== undefined || !new Error('caller').stack?.includes('node:internal/test_runner')) return createHook(callbacks);
  init = callbacks.init;
  const hook: asyncHooks.AsyncHook = { enable: () => hook, disable: () => hook };
  return hook;
}

Object.assign(asyncHooks, { AsyncResource: ReportedResource, createHook: makeHook });
