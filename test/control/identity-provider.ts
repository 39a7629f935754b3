// An identity provider for tests: keys of its own, a key set on loopback, and tokens of any kind.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export interface IdentityProvider {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** MiB that a `huge` answer has got rid of. */
  sentMib(): number;
  /** How often its keys were asked for. */
  asked(): number;
  /** What it answers instead of its keys. `useless`: keys of which none verifies a signature. */
  fail: 'no' | 'status' | 'nonsense' | 'huge' | 'redirect' | 'empty' | 'useless';
  /** Publishes another key in the place of its present one, and signs with it. */
  rotate(kid: string): Promise<void>;
  token(claims: JWTPayload, how?: TokenOptions): Promise<string>;
  close(): Promise<void>;
}
export interface TokenOptions {
  issuer?: string;
  audience?: string;
  /** Epoch milliseconds. */
  expiresAtMs?: number;
  /** Signed by somebody else under the same key id. */
  forged?: boolean;
  /** Signed with the public key as if it were a secret. */
  confused?: boolean;
  unsigned?: boolean;
  kid?: string;
}

export async function startIdentityProvider(nowMs: () => number): Promise<IdentityProvider> {
  const newKey = async (kid: string) => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    return { ...pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' } };
  };
  let own = await newKey('one');
  const other = await generateKeyPair('ES256');
  let asked = 0;
  let sent = 0;
  const provider = { fail: 'no' } as IdentityProvider & { fail: IdentityProvider['fail'] };
  const server = createServer((_, response) => {
    asked += 1;
    const status = provider.fail === 'status' ? 500 : provider.fail === 'redirect' ? 302 : 200;
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', location: 'http://127.0.0.1:1/keys' });
    if (provider.fail === 'huge') return sendEndlessly(response, () => (sent += 1));
    response.end(answerOf(provider.fail, own.jwk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = 'https://issuer.example';
  const audience = 'drillyard';
  return Object.assign(provider, {
    issuer,
    audience,
    jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    asked: () => asked,
    sentMib: () => sent,
    rotate: async (kid: string): Promise<void> => {
      own = await newKey(kid);
    },
    token: async (claims: JWTPayload, how: TokenOptions = {}): Promise<string> => {
      const expires = Math.floor((how.expiresAtMs ?? nowMs() + 60_000) / 1000);
      const payload = { iss: how.issuer ?? issuer, aud: how.audience ?? audience, exp: expires, ...claims };
      if (how.unsigned) return `${text({ alg: 'none' })}.${text(payload)}.`;
      const alg = how.confused ? 'HS256' : 'ES256';
      const key = how.confused ? Buffer.from(JSON.stringify(own.jwk)) : (how.forged ? other : own).privateKey;
      return new SignJWT(payload).setProtectedHeader({ alg, kid: how.kid ?? own.jwk.kid }).sign(key);
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

function answerOf(fail: IdentityProvider['fail'], jwk: JWK): string {
  if (fail === 'no') return JSON.stringify({ keys: [jwk] });
  if (fail === 'empty') return JSON.stringify({ keys: [] });
  if (fail === 'useless')
    return JSON.stringify({
      keys: [
        { ...jwk, use: 'enc' },
        { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' },
      ],
    });
  return 'nonsense';
}

/** White space is JSON too: a key set that never comes to its end. */
function sendEndlessly(response: ServerResponse, count: () => void): void {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const next = (): void => {
    if (response.destroyed) return;
    count();
    if (response.write(chunk)) setImmediate(next);
    else response.once('drain', next);
  };
  next();
}

const text = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
