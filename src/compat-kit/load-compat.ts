// compat/compat.ts of a package, loaded as modules of targets are: its own files joined, the vendor's packages found from the package's
// folder upwards.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { isRecord } from '../contract/json.js';
import { bundleModule } from '../drills/targets/module-bundle.js';
import { importModule } from '../loading/own-code.js';
import type { CompatDefinition } from './definition.js';
import { notInstalled } from './installed-package.js';

const compatModule = 'compat/compat.ts';

/** `folder`: the package's. Rejects with control.NOT_FOUND where it has none, control.INVALID_REQUEST where it cannot be loaded. */
export async function loadCompat(folder: string): Promise<CompatDefinition> {
  if (!existsSync(join(folder, compatModule)))
    throw new ServiceError('control.NOT_FOUND', { message: `There is no ${compatModule} in ${basename(folder)}.` });
  const directory = await mkdtemp(join(tmpdir(), 'drillyard-compat-'));
  try {
    const bundle = await bundleModule({ root: folder, module: compatModule, directory });
    if (bundle.kind === 'failed') {
      const missing = missingPackages(bundle.error.message);
      throw missing.length > 0 ? notInstalled(missing) : refused(bundle.error.message);
    }
    const { default: definition } = (await importModule(bundle.url)) as { default?: unknown };
    return checked(definition);
  } finally {
    // The module is in memory, and imports nothing of the folder later.
    await rm(directory, { recursive: true, force: true });
  }
}

/** The npm packages that esbuild did not find, each once: without the vendor's client everything else it says is about that. */
function missingPackages(message: string): string[] {
  const names = [...message.matchAll(/Could not resolve "((?:@[^/"]+\/)?[^./"@][^/"]*)[^"]*"/g)].map(([, name = '']) => name);
  return [...new Set(names)].sort();
}

/** The module runs in this process, so its shape is all that can be wrong with it. */
function checked(definition: unknown): CompatDefinition {
  if (typeof definition !== 'object' || definition === null) throw refused(`${compatModule} has no default export made by defineCompat.`);
  const { clients, operations, routes, unsupported, checkResponse, isError, flow, mcp } = definition as Partial<CompatDefinition>;
  const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');
  const faults = [
    isTextList(clients) && (clients as readonly string[]).length > 0 ? '' : 'clients is no list of npm packages',
    isRecord(operations) && ('openapi' in operations ? typeof operations.openapi === 'string' : Array.isArray(operations.list))
      ? ''
      : 'operations is neither { openapi } nor { list }',
    routes === undefined || (isTextList(routes) && routes.length > 0) ? '' : 'routes is no list of paths',
    isRecord(unsupported) && Object.values(unsupported).every((reason) => typeof reason === 'string' && reason.trim() !== '')
      ? ''
      : 'unsupported is no record of operation ids with a reason each',
    typeof checkResponse === 'function' ? '' : 'checkResponse is no function',
    isError === undefined || typeof isError === 'function' ? '' : 'isError is no function',
    typeof flow === 'function' ? '' : 'flow is no function',
    mcp === undefined || typeof mcp === 'function' ? '' : 'mcp is no function',
  ].filter((fault) => fault !== '');
  if (faults.length > 0) throw refused(`${compatModule}: ${faults.join('; ')}.`);
  return definition as CompatDefinition;
}

function refused(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
