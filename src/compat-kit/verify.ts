// Proves a tool package against its vendor: its conformance drills and its flows run behind recording proxies, and what was recorded is
// held against the vendor's operations and what its responses must be.
//   VERIFY-1. The page and the record of members are what a run gives, and are written only where nothing is wrong; the date in the page is
//     given, and kept otherwise.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBindings } from '../bindings/create-bindings.js';
import { compileProject } from '../compiler/compile.js';
import { loadConformance } from '../compiler/conformance.js';
import { glancePackage } from '../compiler/package-glance.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { ToolHttpRoute, ToolManifest } from '../contract/world/tool-manifest.js';
import { type ConformanceOptions, testToolPackage } from '../drills/conformance.js';
import type { OpenBindings } from '../drills/ports/bindings-port.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import { carriedMembers, countMembers, lostMembers, membersFile, membersText, recordedMembers } from './carried-members.js';
import type { CompatDefinition } from './definition.js';
import { type ExchangePlace, type ExchangeSource, exchangeOf, isVendorPath, type SourcedExchange, withError } from './exchanges.js';
import { drivenRoutes, operationsNotHere, operationsNotListed, refusedResponses, routesNotDriven, type VerifyFinding } from './findings.js';
import { chooseActor, openFlowWorld } from './flow-world.js';
import { installedVersion } from './installed-package.js';
import { loadCompat } from './load-compat.js';
import { noticeMutations, type SpoiledMember } from './mutations.js';
import { dateIn, pageName, pageText } from './page.js';
import { recordBindings } from './recorded-bindings.js';
import type { RecordedRequest } from './recording-proxy.js';
import { probeUnsupported } from './unsupported-probe.js';
import { type ListedOperations, listOperations, VendorTable } from './vendor-operations.js';

export interface VerifyPackageOptions
  extends Pick<ConformanceOptions, 'folder' | 'config' | 'concurrency' | 'isolate' | 'onEvent' | 'signal'> {
  /** Of the reports of the conformance drills, which stay there. Default: they are removed. */
  reportDirectory?: string;
  /** Writes the page where nothing else is wrong. Default: compares it. */
  write?: boolean;
  /** Of the page that is written, YYYY-MM-DD. Default: the date that it has. */
  date?: string;
}
export interface VerifyPackageResult {
  verdict: 'passed' | 'failed';
  packageId: string;
  version: string;
  clients: { name: string; version: string }[];
  /** Declared routes, and those that a client drove. */
  routes: { declared: number; driven: number };
  /** The vendor's operations. */
  operations: { listed: number; here: number; unsupported: number };
  /** Responses that were checked. */
  responses: number;
  /** What those carry, each member at its place in each kind of response. */
  members: number;
  /** By route: what of its responses may not be otherwise. */
  noticed: SpoiledMember[];
  /** By route: what checkResponse lets be missing, so that the record of members alone has it. */
  unnoticed: SpoiledMember[];
  findings: VerifyFinding[];
  page: { path: string; text: string; isWritten: boolean };
  cancelled: boolean;
}

/** Rejects with control.SOURCE_INVALID where the package does not compile, control.NOT_FOUND where it has no compat/compat.ts. */
export async function verifyToolPackage(options: VerifyPackageOptions): Promise<VerifyPackageResult> {
  requireDate(options.date);
  const proof = await prepare(options);
  const findings: VerifyFinding[] = [];
  const taken: Omit<SourcedExchange, 'isError'>[] = [];
  const take = (from: ExchangeSource) => (recorded: RecordedRequest, mount?: string) => {
    const exchange = exchangeOf(recorded, proof.place, mount);
    if (exchange !== undefined) taken.push({ ...exchange, from });
  };
  const conformance = await runConformance(options, take('conformance'));
  const { cancelled } = conformance;
  findings.push(...conformance.findings);
  if (!cancelled) {
    findings.push(...(await runFlow(proof, 'flow', take('flow'))));
    if (proof.definition.mcp !== undefined) findings.push(...(await runFlow(proof, 'mcp', take('mcp'))));
  }
  const exchanges = taken.map((exchange) => withError(exchange, proof.definition.isError));
  if (!cancelled) findings.push(...(await judge(proof, exchanges)));
  const members = carriedMembers(exchanges);
  const stored = storedText(proof.folder, membersFile);
  // Where a flow or a drill failed there may be no responses to spoil, and others than there should be.
  const spoiled = findings.length === 0 && !cancelled ? await noticeMutations(exchanges, proof.definition.checkResponse) : undefined;
  findings.push(...(spoiled?.findings ?? []));
  if (findings.length === 0 && !cancelled && stored !== undefined) findings.push(...lostMembers(recordedMembers(stored), members));
  const settle = { write: options.write ?? false, isSound: findings.length === 0 && !cancelled };
  const record = settleFile(proof.folder, { name: membersFile, text: membersText(members), stored, ...settle });
  const page = settleFile(proof.folder, { name: pageName, ...pageTexts(proof, exchanges, options), ...settle });
  // What is wrong already says why a record is another.
  if (record.staleness !== undefined && settle.isSound) findings.push({ kind: 'members_stale', message: record.staleness });
  if (page.staleness !== undefined && !cancelled) findings.push({ kind: 'page_stale', message: page.staleness });
  return {
    ...summary(proof, exchanges),
    ...{
      members: countMembers(members),
      noticed: spoiled?.noticed ?? [],
      unnoticed: spoiled?.unnoticed ?? [],
      findings,
      verdict: verdictOf(findings),
    },
    ...{ page: { path: page.path, text: page.text, isWritten: page.isWritten }, cancelled },
  };
}

interface Proof {
  folder: string;
  config: string | undefined;
  definition: CompatDefinition;
  build: CompiledBuild;
  root: string;
  /** With the routes alone that are the vendor's. */
  manifest: ToolManifest;
  ownRoutes: readonly ToolHttpRoute[];
  clients: { name: string; version: string }[];
  listed: ListedOperations;
  place: ExchangePlace;
}

async function prepare({ folder: given, config }: VerifyPackageOptions): Promise<Proof> {
  const { conformance, diagnostics: found } = loadConformance(given, defined({ config }));
  if (conformance === undefined) throw new SourceInvalidError(found);
  const { root, packageRoot: folder } = conformance;
  const { build, diagnostics } = await compileProject({ root, ...defined({ config }) });
  if (build === undefined) throw new SourceInvalidError(diagnostics);
  const definition = await loadCompat(folder);
  const packageId = glancePackage('.', folder)?.packageId ?? build.tools[0]?.packageId;
  const whole = build.tools.find((tool) => tool.packageId === packageId)?.manifest;
  if (whole === undefined) throw invalid('The conformance project does not use the package.');
  const below = definition.routes;
  const [vendors, ownRoutes] = [true, false].map((is) => whole.http.filter(({ path }) => isVendorPath(path, below) === is)) as Split;
  if (below !== undefined && vendors.length === 0) throw invalid(`No route of the package lies below ${below.join(', ')}.`);
  const manifest = { ...whole, http: vendors };
  const listed = listOperations(definition, folder);
  const table = new VendorTable(manifest.http, listed.operations);
  const isAlone = build.tools.filter((tool) => tool.manifest.http.length > 0 || tool.manifest.graphql !== undefined).length === 1;
  return {
    ...{ folder, config, definition, build, root, manifest, ownRoutes, listed },
    clients: definition.clients.map((name) => ({ name, version: installedVersion(name, folder) })),
    place: { packageId: manifest.id, table, isAlone, below },
  };
}
type Split = [ToolHttpRoute[], ToolHttpRoute[]];

/** The drills run twice, the second time with a fresh module each turn; the responses are the same, so the first are enough. */
async function runConformance(
  { folder, config, reportDirectory, concurrency, isolate, onEvent, signal }: VerifyPackageOptions,
  record: (recorded: RecordedRequest, mount?: string) => void,
): Promise<{ findings: VerifyFinding[]; cancelled: boolean }> {
  const directory = await mkdtemp(join(tmpdir(), 'drillyard-verify-'));
  let runs = 0;
  const open: OpenBindings = (options) => {
    runs += 1;
    return runs === 1 ? recordBindings(createBindings(options), record) : createBindings(options);
  };
  try {
    const { plain, differences, cancelled } = await testToolPackage(
      {
        folder,
        reportDirectory: reportDirectory ?? join(directory, 'reports'),
        runDirectory: join(directory, 'runs'),
        ...defined({ config, concurrency, isolate, onEvent, signal }),
      },
      open,
    );
    const failed = plain.drills
      .filter(({ verdict }) => verdict !== 'passed')
      .map(({ drillId, verdict }) => `The drill ${drillId} is ${verdict}.`);
    const unsteady = differences.map(({ drillId }) => `The drill ${drillId} has other hashes with a fresh module each turn.`);
    const messages = [...failed, ...unsteady];
    return { findings: messages.map((message) => ({ kind: 'conformance_failed', message })), cancelled };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runFlow(
  proof: Proof,
  name: 'flow' | 'mcp',
  record: (recorded: RecordedRequest, mount: string) => void,
): Promise<VerifyFinding[]> {
  const { definition, build, place, root, folder, config, listed } = proof;
  const { packageId, table } = place;
  const actorId = chooseActor(build, packageId, definition);
  const world = await openFlowWorld({ folder, root, config, packageId, actorId, scenarioId: definition.scenarioId, record });
  try {
    await definition[name]?.(world.context);
    // Once: what is not there is not there for either.
    if (name === 'mcp') return [];
    const absent = operationsNotHere(listed.operations, table, definition.unsupported);
    return await probeUnsupported(absent, { table, ...world.mount }, definition);
  } catch (error) {
    return [{ kind: 'flow_failed', message: `The ${name} failed: ${wordsOf(error)}` }];
  } finally {
    await world.close();
  }
}

/** With the lines of the stack: the flow is the author's own. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.stack?.includes(error.message) === true ? error.stack : `${error.message}\n${error.stack ?? ''}`.trim();
}

async function judge({ definition, manifest, listed, place }: Proof, exchanges: readonly SourcedExchange[]): Promise<VerifyFinding[]> {
  return [
    ...routesNotDriven(manifest.http, exchanges),
    ...operationsNotListed(listed.operations, place.table, definition.unsupported),
    ...(await refusedResponses(exchanges, definition.checkResponse)),
  ];
}

function pageTexts(
  { folder, manifest, ownRoutes, clients, listed, definition, place }: Proof,
  exchanges: readonly SourcedExchange[],
  { write = false, date }: VerifyPackageOptions,
): { text: string; stored: string | undefined } {
  const stored = storedText(folder, pageName);
  const text = pageText({
    ...{ manifest, ownRoutes, clients, listed, table: place.table, unsupported: definition.unsupported, driven: drivenRoutes(exchanges) },
    hasMcp: definition.mcp !== undefined,
    date: (write ? date : undefined) ?? (stored === undefined ? undefined : dateIn(stored)),
  });
  return { text, stored };
}

const storedText = (folder: string, name: string): string | undefined => {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

interface WantedFile {
  /** Below the package's folder. */
  name: string;
  text: string;
  stored: string | undefined;
  write: boolean;
  isSound: boolean;
}
/** `staleness`: what is wrong with the file that lies there, where it is another than it has to be. */
function settleFile(
  folder: string,
  { name, text, stored, write, isSound }: WantedFile,
): { path: string; text: string; isWritten: boolean; staleness?: string } {
  const path = join(folder, name);
  const isWritten = write && isSound && text !== stored;
  if (isWritten) writeFileSync(path, text);
  if (isWritten || text === stored) return { path, text, isWritten };
  const state = stored === undefined ? 'is not there' : 'differs from what this run gives';
  const advice = write ? 'it was not written, as something else is wrong' : 'write it with --write';
  return { path, text, isWritten, staleness: `${name} ${state}; ${advice}.` };
}

function summary({ manifest, clients, listed, place, definition }: Proof, exchanges: readonly SourcedExchange[]) {
  const { operations } = listed;
  const here = operations.filter((operation) => place.table.routeOf(operation) !== undefined).length;
  return {
    ...{ packageId: manifest.id, version: manifest.version, clients },
    routes: { declared: manifest.http.length, driven: drivenRoutes(exchanges).size },
    operations: { listed: operations.length, here, unsupported: operationsNotHere(operations, place.table, definition.unsupported).length },
    responses: exchanges.length,
  };
}

const verdictOf = (findings: readonly VerifyFinding[]): VerifyPackageResult['verdict'] => (findings.length === 0 ? 'passed' : 'failed');

function requireDate(date: string | undefined): void {
  const isDate = date === undefined || (/^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date)));
  if (!isDate) throw invalid(`'${date}' is no date: YYYY-MM-DD.`);
}
function invalid(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
