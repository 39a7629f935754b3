// The page of a package: what a run has proved. The same run gives the same text on every machine: it has no time of its own, and the
// date is what somebody gave it.
import type { ToolFault, ToolHttpRoute, ToolManifest } from '../contract/world/tool-manifest.js';
import { counted } from '../text/counted.js';
import type { CompatDefinition, VendorOperation } from './definition.js';
import type { DrivenRoutes } from './findings.js';
import type { ListedOperations, VendorTable } from './vendor-operations.js';

export const pageName = 'COMPAT.md';

export interface PageFacts {
  /** With the routes alone that are the vendor's. */
  manifest: ToolManifest;
  /** The others. */
  ownRoutes: readonly ToolHttpRoute[];
  clients: readonly { name: string; version: string }[];
  listed: ListedOperations;
  table: VendorTable;
  unsupported: CompatDefinition['unsupported'];
  driven: DrivenRoutes;
  hasMcp: boolean;
  /** YYYY-MM-DD */
  date: string | undefined;
}

export function pageText(facts: PageFacts): string {
  const { manifest, clients, date } = facts;
  const proved = date === undefined ? '' : ` Proved on ${date}.`;
  return [
    `# ${manifest.title ?? manifest.id}: compatibility`,
    `Package \`${manifest.id}\` ${manifest.version}, driven by the vendor's own clients, unchanged.${proved}`,
    'Written by `drillyard tool verify --write` from what it has seen: every route was driven, every response checked, and each member that a '.concat(
      'response carries is in `compat/members.json`: a codec that leaves one out is found.',
    ),
    tableOf(
      ['client', 'version'],
      clients.map(({ name, version }) => [code(name), version]),
    ),
    ...routesPart(facts),
    ...operationsPart(facts),
    ...besidePart(facts),
    ...ownPart(facts),
    ...faultsPart(manifest.faults),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Of an earlier page. */
export function dateIn(page: string): string | undefined {
  return /Proved on (\d{4}-\d{2}-\d{2})\./.exec(page)?.[1];
}

function routesPart({ manifest, driven, hasMcp }: PageFacts): string[] {
  const rows = manifest.http.map(({ id, method, path, operationId }) => {
    const by = driven.get(id);
    const mark = (from: 'flow' | 'mcp'): string => (by?.has(from) === true ? 'yes' : '');
    return [code(`${method} ${path}`), code(operationId), mark('flow'), ...(hasMcp ? [mark('mcp')] : [])];
  });
  const head = ['route', 'operation', 'client', ...(hasMcp ? ['MCP server'] : [])];
  return ['## Routes', `${driven.size} of ${counted(manifest.http.length, 'route')} driven.`, tableOf(head, rows)];
}

function operationsPart({ listed, table, unsupported }: PageFacts): string[] {
  const { operations, source } = listed;
  const here = operations.filter((operation) => table.routeOf(operation) !== undefined).length;
  const stateOf = (operation: VendorOperation): string => {
    const route = table.routeOf(operation);
    if (route !== undefined) return code(route.operationId);
    return `not there: ${unsupported[operation.id] ?? 'nobody has said why'}`;
  };
  const rows = operations.map((operation) => [code(operation.id), code(`${operation.method} ${operation.path}`), stateOf(operation)]);
  return [
    "## The vendor's operations",
    `Of ${source}: ${here} of ${counted(operations.length, 'operation')}. What is not there answers with \`x-drillyard-unsupported: 1\`.`,
    tableOf(['operation', 'request', 'here'], rows),
  ];
}

/** Routes that the vendor's description does not have. */
function besidePart({ manifest, table }: PageFacts): string[] {
  const beside = manifest.http.filter((route) => table.operationOf(route) === undefined);
  if (beside.length === 0) return [];
  const rows = beside.map(({ method, path, operationId }) => [code(`${method} ${path}`), code(operationId)]);
  return [
    '## Routes beside those',
    "The vendor's description does not have them, and its clients ask for them.",
    tableOf(['route', 'operation'], rows),
  ];
}

/** An API of the package's own: it stands here so that nobody takes it for a part of what was proved. */
function ownPart({ ownRoutes }: PageFacts): string[] {
  if (ownRoutes.length === 0) return [];
  const rows = ownRoutes.map(({ method, path, operationId }) => [code(`${method} ${path}`), code(operationId)]);
  return [
    "## Routes of the package's own",
    'They imitate no vendor, and nothing here is said of them.',
    tableOf(['route', 'operation'], rows),
  ];
}

function faultsPart(faults: readonly ToolFault[]): string[] {
  if (faults.length === 0) return [];
  const rows = faults.map(({ id, description = '', appliesTo, timing }) => [code(id), timing, appliesTo.map(code).join(', '), description]);
  return ['## Faults', tableOf(['fault', 'timing', 'on', 'what happens'], rows)];
}

function code(text: string): string {
  return `\`${text}\``;
}
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
