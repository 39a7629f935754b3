// Worlds of the fixture whose one tool stores bytes, takes files, and answers in events.
import { fileURLToPath } from 'node:url';
import { S3Client } from '@aws-sdk/client-s3';
import { compileProject } from '../../src/compiler/compile.js';
import { newId } from '../../src/contract/ids.js';
import { limits } from '../../src/contract/limits.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import type { WorldRef, Worlds } from '../../src/worlds/api.js';

const compiled = await compileProject({ root: fileURLToPath(new URL('../../../test/fixtures/bodies', import.meta.url)) });
if (compiled.build === undefined) throw new Error(JSON.stringify(compiled.diagnostics));
export const bodiesBuild: CompiledBuild = compiled.build;

export function createDepot(worlds: Worlds, worldId = newId('world')): Promise<WorldRef> {
  return worlds.create({ worldId, build: bodiesBuild, ...bodiesBuild.baseline, seed: { seed: '1', trial: 1, attempt: 1 } });
}

/** What is asked for a stream of nearly as many bytes as one may have. */
const eventChars = 64 * 1024;
export const manyEvents = {
  messages: [{ role: 'user', content: 'x' }],
  stream: true,
  raw: { data: 'x'.repeat(eventChars) },
  times: limits.encodedBodyBytesMax / eventChars - 1,
};

/** A client as its vendor gives it; nobody checks its signature here. */
export function s3At(endpoint: string): S3Client {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not checked' };
  return new S3Client({ endpoint, forcePathStyle: true, region: 'eu-central-1', credentials, maxAttempts: 1 });
}

/** The same for a seed, and nothing that would compress. */
export function randomBytes(length: number, seed: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let state = seed >>> 0;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
