// Clients without a credential that ask and do not read: what they may cost the service, and what the others notice of it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { loadUws } from '../../src/http/uws-binary.js';
import { type Service, startService } from './service.js';

const engines = loadUws() === undefined ? (['node'] as const) : (['node', 'uws'] as const);
const sockets = 8;
const requestsEach = 2000;
/** Generous: a copy for each reply would be six gigabytes. */
const residentMbMax = 200;

function residentMb({ child }: Service, field: 'VmRSS' | 'VmHWM'): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
  return Number(found?.[1]) / 1024;
}

interface Flood {
  sockets: Socket[];
  end(): Promise<void>;
}
function flood(port: number): Flood {
  const bytes = 'GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requestsEach);
  const opened = Array.from({ length: sockets }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(bytes);
    return socket;
  });
  const closed = Promise.all(opened.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  return {
    sockets: opened,
    end: async () => {
      for (const socket of opened) socket.destroy();
      await closed;
    },
  };
}

async function answersAVictim({ ready }: Service, credential: string): Promise<void> {
  for (let asked = 0; asked < 100; asked++) {
    const me = await fetch(`${ready.baseUrl}/v1/me`, { headers: { authorization: `Bearer ${credential}` } });
    assert.equal(me.status, 200);
    await me.arrayBuffer();
  }
  const document = (await (await fetch(`${ready.baseUrl}/v1/openapi.json`)).json()) as { openapi: string };
  assert.equal(document.openapi, '3.1.0');
}

for (const engine of engines) {
  test(`${engine}: requests whose replies nobody reads cost little memory, and others are answered meanwhile`, {
    skip: !existsSync('/proc/self/status'),
  }, async () => {
    const service = await startService({ flags: ['--server', engine] });
    const { credential = '', baseUrl } = service.ready;
    const port = Number(new URL(baseUrl).port);
    await answersAVictim(service, credential);
    const before = residentMb(service, 'VmRSS');
    const rounds: number[] = [];
    for (let round = 0; round < 3; round++) {
      const attack = flood(port);
      await answersAVictim(service, credential);
      await attack.end();
      await answersAVictim(service, credential);
      rounds.push(residentMb(service, 'VmRSS'));
    }
    assert.ok(
      residentMb(service, 'VmHWM') - before < residentMbMax,
      `${before} MiB before, ${rounds} after, ${residentMb(service, 'VmHWM')} at most`,
    );
    // The heap settles in the first round; what a round left behind would show in the last.
    assert.ok((rounds[2] as number) - (rounds[0] as number) < residentMbMax / 4, String(rounds));
    assert.equal((await service.stop()).code, 0);
  });
}
