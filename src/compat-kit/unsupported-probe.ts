// Asks for each operation that a package does not have: the answer has to say that it is the package that lacks it, as an error of the
// vendor's shape.
import { authsOf } from '../contract/world/route-auth.js';
import type { RouteAuth, ToolHttpRoute } from '../contract/world/tool-manifest.js';
import { unsupportedHeader } from '../http/envelope.js';
import type { CompatDefinition, RecordedExchange, VendorOperation } from './definition.js';
import { withError } from './exchanges.js';
import type { VerifyFinding } from './findings.js';
import type { VendorTable } from './vendor-operations.js';

const [header, value] = Object.entries(unsupportedHeader)[0] as [string, string];

export interface ProbedPlace {
  table: VendorTable;
  /** Of the mount. */
  url: string;
  token: string;
}
type Checks = Pick<CompatDefinition, 'checkResponse' | 'isError'>;

/** A path may fit a route of the package all the same, which takes the credential where it wants it. */
export async function probeUnsupported(
  operations: readonly VendorOperation[],
  { table, url, token }: ProbedPlace,
  checks: Checks,
): Promise<VerifyFinding[]> {
  const findings: VerifyFinding[] = [];
  for (const operation of operations) {
    const { method, path } = operation;
    const asked = path.replace(/[?#].*$/, '').replace(/\{[^}]+\}/g, 'unsupported');
    const reply = await fetch(url + asked, { method, headers: credentialFor(table.find(method, asked).route, token) });
    const body = await reply.text();
    const place = `${operation.id} (${method} ${path}) is unsupported, and is answered ${reply.status}`;
    if (reply.headers.get(header) !== value) {
      findings.push({ kind: 'unsupported_not_marked', message: `${place} without ${header}: ${value}.` });
      continue;
    }
    const { status, headers } = reply;
    const exchange = { method, path: asked, query: '', requestBody: '', status, headers: Object.fromEntries(headers), body, operation };
    const fault = await faultOf(exchange, checks);
    if (fault !== undefined) findings.push({ kind: 'unsupported_misshapen', message: `${place}: ${fault}.` });
  }
  return findings;
}

async function faultOf(exchange: RecordedExchange, { checkResponse, isError }: Checks): Promise<string | undefined> {
  if (isEnvelope(exchange.body)) return "the body is Drillyard's envelope, and no refusal of the package";
  if (!withError({ ...exchange, from: 'flow' }, isError).isError) return 'that is no error of the vendor';
  const [fault] = await checkResponse(exchange);
  return fault;
}

/** Which no vendor has. */
function isEnvelope(body: string): boolean {
  try {
    const { correlationId, source } = JSON.parse(body) as { correlationId?: unknown; source?: unknown };
    return typeof correlationId === 'string' && source === 'platform';
  } catch {
    return false;
  }
}

function credentialFor(route: ToolHttpRoute | undefined, token: string): Record<string, string> {
  const [auth = { kind: 'bearer' }]: readonly RouteAuth[] = route === undefined ? [] : authsOf(route);
  if (auth.kind === 'header') return { [auth.name]: token };
  if (auth.kind === 'basic') return { authorization: `Basic ${Buffer.from(`user:${token}`).toString('base64')}` };
  return { authorization: `${auth.kind === 'bearer' ? (auth.schemes?.[0] ?? 'Bearer') : 'Bearer'} ${token}` };
}
