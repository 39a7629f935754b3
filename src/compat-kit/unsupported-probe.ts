// Asks for each operation that a package does not have: the answer has to say that it is the package that lacks it.
import type { ToolHttpRoute } from '../contract/world/tool-manifest.js';
import { unsupportedHeader } from '../http/envelope.js';
import type { VendorOperation } from './definition.js';
import type { VerifyFinding } from './findings.js';
import type { VendorTable } from './vendor-operations.js';

const [header, value] = Object.entries(unsupportedHeader)[0] as [string, string];

/** `url`: of the mount. A path may fit a route of the package all the same, which takes the credential where it wants it. */
export async function probeUnsupported(
  operations: readonly VendorOperation[],
  table: VendorTable,
  { url, token }: { url: string; token: string },
): Promise<VerifyFinding[]> {
  const findings: VerifyFinding[] = [];
  for (const { id, method, path } of operations) {
    const asked = path.replace(/[?#].*$/, '').replace(/\{[^}]+\}/g, 'unsupported');
    const reply = await fetch(url + asked, { method, headers: credentialFor(table.find(method, asked).route, token) });
    await reply.arrayBuffer();
    if (reply.headers.get(header) === value) continue;
    const message = `${id} (${method} ${path}) is unsupported, and is answered ${reply.status} without ${header}: ${value}.`;
    findings.push({ kind: 'unsupported_not_marked', message });
  }
  return findings;
}

function credentialFor(route: ToolHttpRoute | undefined, token: string): Record<string, string> {
  const auth = route?.auth ?? { kind: 'bearer' };
  if (auth.kind === 'header') return { [auth.name]: token };
  if (auth.kind === 'basic') return { authorization: `Basic ${Buffer.from(`user:${token}`).toString('base64')}` };
  return { authorization: `${auth.kind === 'bearer' ? (auth.schemes?.[0] ?? 'Bearer') : 'Bearer'} ${token}` };
}
