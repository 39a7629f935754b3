// Asks for each operation that a package does not have: the answer has to say that it is the package that lacks it.
import { unsupportedHeader } from '../http/envelope.js';
import type { VendorOperation } from './definition.js';
import type { VerifyFinding } from './findings.js';

const [header, value] = Object.entries(unsupportedHeader)[0] as [string, string];

/** `url`: of the mount. */
export async function probeUnsupported(
  operations: readonly VendorOperation[],
  { url, token }: { url: string; token: string },
): Promise<VerifyFinding[]> {
  const findings: VerifyFinding[] = [];
  for (const { id, method, path } of operations) {
    const asked = path.replace(/[?#].*$/, '').replace(/\{[^}]+\}/g, 'unsupported');
    const reply = await fetch(url + asked, { method, headers: { authorization: `Bearer ${token}` } });
    await reply.arrayBuffer();
    if (reply.headers.get(header) === value) continue;
    const message = `${id} (${method} ${path}) is unsupported, and is answered ${reply.status} without ${header}: ${value}.`;
    findings.push({ kind: 'unsupported_not_marked', message });
  }
  return findings;
}
