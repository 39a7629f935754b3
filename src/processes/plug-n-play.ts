// Where Yarn's Plug'n'Play resolves the packages of this installation, which then has no node_modules: what a process or thread of ours is
// started with to find them, and what of them a box has to see.
//   PLUG-N-PLAY-1. A child process finds packages as its parent does, and gets no other flag that its user gave by NODE_OPTIONS.
//   PLUG-N-PLAY-2. A box sees the table of packages, and the installed packages that this one depends on: no workspace and no peer, which
//     are the user's.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Locator {
  name: string;
  reference: string;
}
interface PackageInformation {
  packageLocation: string;
  /** By name: its reference, the name and the reference of an alias, or null for an optional peer that is not there. */
  packageDependencies: ReadonlyMap<string, string | readonly [string, string] | null>;
  packagePeers?: ReadonlySet<string>;
  /** Of a package that was installed; a workspace or a linked folder is SOFT. */
  linkType: 'HARD' | 'SOFT';
}
/** What we use of it (https://yarnpkg.com/advanced/pnpapi). */
interface PnpApi {
  resolveRequest(request: 'pnpapi', issuer: null): string;
  findPackageLocator(path: string): Locator | null;
  getPackageInformation(locator: Locator): PackageInformation | null;
  resolveVirtual?(path: string): string | null;
}

const here = fileURLToPath(import.meta.url);

/**
 * The flags of Node.js that load it. Its loader of modules is not among them: processes and threads of ours require packages, and with that
 * loader each of them has a thread more.
 */
export function plugNPlayFlags(): string[] {
  const api = ownApi();
  return api === undefined ? [] : ['--require', fileOf(api)];
}

/** Its own files, and the archive or the folder of each package that this one depends on; undefined without Plug'n'Play. */
export function plugNPlayPlaces(): string[] | undefined {
  const api = ownApi();
  const own = api?.findPackageLocator(here);
  if (api === undefined || own === null || own === undefined) return undefined;
  const places = new Set<string>();
  // Each package may name itself, as this one does.
  const seen = new Set([keyOf(own)]);
  const waiting = dependenciesOf(api, own, { withPeers: false });
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const found = seen.has(keyOf(next)) ? null : api.getPackageInformation(next);
    seen.add(keyOf(next));
    if (found?.linkType !== 'HARD') continue;
    places.add(placeOf(api.resolveVirtual?.(found.packageLocation) ?? found.packageLocation));
    waiting.push(...dependenciesOf(api, next, { withPeers: true }));
  }
  // The second is there where the project keeps the table of packages apart.
  const table = fileOf(api);
  return [table, join(dirname(table), '.pnp.data.json'), ...places].filter((place) => existsSync(place));
}

/** Undefined where it does not hold our package: it may be a project's, and this program be installed elsewhere. */
function ownApi(): PnpApi | undefined {
  const { findPnpApi } = module as { findPnpApi?: (path: string) => PnpApi | null };
  return findPnpApi?.(here) ?? undefined;
}

const keyOf = ({ name, reference }: Locator): string => `${name}@${reference}`;
const fileOf = (api: PnpApi): string => api.resolveRequest('pnpapi', null);

function dependenciesOf(api: PnpApi, locator: Locator, { withPeers }: { withPeers: boolean }): Locator[] {
  const found = api.getPackageInformation(locator);
  return [...(found?.packageDependencies ?? [])].flatMap(([name, reference]) => {
    if (reference === null || (!withPeers && found?.packagePeers?.has(name))) return [];
    return typeof reference === 'string' ? [{ name, reference }] : [{ name: reference[0], reference: reference[1] }];
  });
}

/** The archive is one file, whatever of it is used. */
function placeOf(location: string): string {
  const [, archive] = /^(.*?\.zip)[\\/]/.exec(location) ?? [];
  return archive ?? location.replace(/[\\/]$/, '');
}
