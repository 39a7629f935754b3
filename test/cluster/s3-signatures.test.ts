// What a node asks of an S3-compatible store is signed with its credentials: judged by moto, which makes each signature again with
// Amazon's own library for Python and refuses what differs. (The server of stores.test.ts reads no signature.)
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { LogUnavailable } from '../../src/cluster/log.js';
import { openObjects } from '../../src/cluster/objects/open-objects.js';
import { freePort } from '../free-port.js';
import { untilSettled } from '../until.js';

const hasMoto = spawnSync('python3', ['-c', 'import moto.server']).status === 0;
const skip = hasMoto ? false : 'moto[server] is not installed for python3';
const bucket = 'homes';

interface Keys {
  id: string;
  secret: string;
}
interface Judge {
  origin: string;
  keys: Keys;
  stop(): Promise<void>;
}
let judge: Judge;
before(async () => {
  if (skip === false) judge = await startJudge();
});
after(() => judge?.stop());

/** From its fifth request on it believes nobody. */
async function startJudge(): Promise<Judge> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    env: { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: '4' },
    stdio: 'ignore',
  });
  await untilSettled(async () => (await fetch(`${origin}/moto-api/`).catch(() => undefined))?.ok === true);
  const asked = async (method: string, path: string, form?: { [name: string]: string }): Promise<string> => {
    const credential = 'AWS4-HMAC-SHA256 Credential=nobody/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=00';
    const body = form && new URLSearchParams({ Version: '2010-05-08', UserName: 'node', ...form });
    const reply = await fetch(origin + path, { method, ...(body && { body, headers: { authorization: credential } }) });
    const text = await reply.text();
    assert.equal(reply.status, 200, text);
    return text;
  };
  await asked('POST', '/', { Action: 'CreateUser' });
  const made = await asked('POST', '/', { Action: 'CreateAccessKey' });
  const statement = { Effect: 'Allow', Action: 's3:*', Resource: '*' };
  const document = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await asked('POST', '/', { Action: 'PutUserPolicy', PolicyName: 'store', PolicyDocument: document });
  await asked('PUT', `/${bucket}`);
  const textOf = (name: string): string => new RegExp(`<${name}>(.+?)</${name}>`).exec(made)?.[1] as string;
  return {
    origin,
    keys: { id: textOf('AccessKeyId'), secret: textOf('SecretAccessKey') },
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** The client finds its credentials in the environment. */
async function withKeys<T>({ id, secret }: Keys, work: () => Promise<T>): Promise<T> {
  const names = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
  const before = Object.keys(names).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, names);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Without a prefix: moto decodes the slash in the query of a list before it signs, which Amazon does not. */
const store = (): string => `s3://${bucket}?endpoint=${judge.origin}`;

test('each request to a store is signed as the store computes it, and one with another secret is refused', { skip }, async () => {
  await withKeys(judge.keys, async () => {
    const objects = await openObjects(store());
    const body = Buffer.from('of a snapshot');
    await objects.put('snapshots/7/41-0', body);
    await objects.put('snapshots/7/42-0', Buffer.alloc(0));
    assert.deepEqual(await objects.get('snapshots/7/41-0'), body);
    assert.equal(await objects.get('snapshots/7/43-0'), undefined);
    const keys: string[] = [];
    for await (const { key } of objects.list('snapshots')) keys.push(key);
    assert.deepEqual(keys, ['snapshots/7/41-0', 'snapshots/7/42-0']);
    await objects.remove('snapshots/7/41-0');
    assert.equal(await objects.get('snapshots/7/41-0'), undefined);
    objects.close();
  });
  await withKeys({ ...judge.keys, secret: `${judge.keys.secret}x` }, async () => {
    const objects = await openObjects(store());
    const isRefused = (error: unknown): boolean => error instanceof LogUnavailable && error.message.includes('SignatureDoesNotMatch');
    await assert.rejects(objects.put('snapshots/7/44-0', Buffer.from('x')), isRefused);
    await assert.rejects(objects.get('snapshots/7/42-0'), isRefused);
    objects.close();
  });
});
