// Proves a tool package against its vendor: its conformance drills and its flows run behind recording proxies, and what was recorded is
// held against the vendor's operations and what its responses must be.
//   VERIFY-1. The page is what a run gives, and is written only where nothing is wrong; the date in it is given, and kept otherwise.
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
import type { CompatDefinition } from './definition.js';
import { type ExchangePlace, type ExchangeSource, exchangeOf, isVendorPath, type SourcedExchange } from './exchanges.js';
import { drivenRoutes, operationsNotHere, operationsNotListed, refusedResponses, routesNotDriven, type VerifyFinding } from './findings.js';
import { chooseActor, openFlowWorld } from './flow-world.js';
import { installedVersion } from './installed-package.js';
import { loadCompat } from './load-compat.js';
import { type NoticedMutation, noticeMutations } from './mutations.js';
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
  /** By route: what of its responses may not be otherwise. */
  noticed: NoticedMutation[];
  findings: VerifyFinding[];
  page: { path: string; text: string; isWritten: boolean };
  cancelled: boolean;
}

/** Rejects with control.SOURCE_INVALID where the package does not compile, control.NOT_FOUND where it has no compat/compat.ts. */
export async function verifyToolPackage(options: VerifyPackageOptions): Promise<VerifyPackageResult> {
  requireDate(options.date);
  const proof = await prepare(options);
  const findings: VerifyFinding[] = [];
  const exchanges: SourcedExchange[] = [];
  let noticed: NoticedMutation[] = [];
  const take = (from: ExchangeSource) => (recorded: RecordedRequest, mount?: string) => {
    const exchange = exchangeOf(recorded, proof.place, mount);
    if (exchange !== undefined) exchanges.push({ ...exchange, from });
  };
  const conformance = await runConformance(options, take('conformance'));
  findings.push(...conformance.findings);
  if (!conformance.cancelled) {
    findings.push(...(await runFlow(proof, 'flow', take('flow'))));
    if (proof.definition.mcp !== undefined) findings.push(...(await runFlow(proof, 'mcp', take('mcp'))));
    findings.push(...(await judge(proof, exchanges)));
    // Where a flow or a drill failed there may be no responses to spoil.
    if (findings.length === 0) {
      const spoiled = await noticeMutations(exchanges, proof.definition.checkResponse);
      noticed = spoiled.noticed;
      findings.push(...spoiled.findings);
    }
  }
  const page = settlePage(proof, exchanges, { ...options, isSound: findings.length === 0 });
  if (page.isStale && !conformance.cancelled) findings.push({ kind: 'page_stale', message: page.message });
  return {
    ...summary(proof, exchanges),
    noticed,
    findings,
    verdict: verdictOf(findings),
    page: page.page,
    cancelled: conformance.cancelled,
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
    return await probeUnsupported(operationsNotHere(listed.operations, table, definition.unsupported), table, world.mount);
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

interface SettledPage {
  page: VerifyPackageResult['page'];
  isStale: boolean;
  message: string;
}
function settlePage(
  { folder, manifest, ownRoutes, clients, listed, definition, place }: Proof,
  exchanges: readonly SourcedExchange[],
  { write = false, date, isSound }: VerifyPackageOptions & { isSound: boolean },
): SettledPage {
  const path = join(folder, pageName);
  const stored = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const text = pageText({
    ...{ manifest, ownRoutes, clients, listed, table: place.table, unsupported: definition.unsupported, driven: drivenRoutes(exchanges) },
    hasMcp: definition.mcp !== undefined,
    date: (write ? date : undefined) ?? (stored === undefined ? undefined : dateIn(stored)),
  });
  const isWritten = write && isSound && text !== stored;
  if (isWritten) writeFileSync(path, text);
  const isStale = !isWritten && text !== stored;
  const state = stored === undefined ? 'is not there' : 'differs from what this run gives';
  const advice = write ? 'it was not written, as something else is wrong' : 'write it with --write';
  return { page: { path, text, isWritten }, isStale, message: `${pageName} ${state}; ${advice}.` };
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
