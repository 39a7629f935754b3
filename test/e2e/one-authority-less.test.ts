// Each authority by itself, over real HTTP: roles come in threes, so here callers are made that lack exactly one authority, or have no
// other.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import { type Authority, authorities } from '../../src/contract/world/authority.js';
import type { Caller } from '../../src/control/catalog/endpoint.js';
import { allEndpoints } from '../../src/control/open-control.js';
import { controlRoutes } from '../../src/http/control-routes.js';
import { requireHost } from '../../src/http/guards.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { createRouter } from '../../src/http/router.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { openControlKit } from '../control/control-kit.js';
import { engines } from '../http/fake-control.js';
import { type Document, endpointIds, Requests, ruleOf } from './requests.js';
import { type Ids, idsIn } from './tenants.js';

const kit = await openControlKit({ endpoints: allEndpoints });
after(() => kit.close());

/** `-x`: all but x; `+x,y`: x and y alone. */
function callerOf(token: string): Caller {
  const named = new Set(token.slice(1).split('~'));
  const has = (one: Authority): boolean => (token[0] === '-' ? !named.has(one) : named.has(one));
  if (token[0] !== '-' && token[0] !== '+') throw new ServiceError('control.UNAUTHENTICATED');
  return { ...kit.caller, authoritiesIn: (projectId) => new Set(projectId === kit.projectId ? authorities.filter(has) : []) };
}

const inProject = endpointIds.filter((id) => ruleOf(id).path.includes('{projectId}'));
const neededBy = (id: EndpointId): Authority[] => [ruleOf(id).authority].flat() as Authority[];
/** Well formed, and of nothing there is, but for the project. */
const ids: Ids = {
  ...Object.fromEntries(inProject.flatMap((id) => idsIn(ruleOf(id).path)).map((name) => [name, `${prefixOf(name)}_0123456789ab`])),
  projectId: kit.projectId,
  buildHash: `sha256:${'0'.repeat(64)}`,
  libraryEntryId: 'no-such-tool',
  revision: '1',
};
function prefixOf(name: string): string {
  const schemas = (openApiDocument() as unknown as Document).paths;
  const parameters = Object.values(schemas).flatMap((methods) => Object.values(methods).flatMap((operation) => operation.parameters ?? []));
  const schema = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema as {
    $ref?: string;
    pattern?: string;
  };
  const named =
    schema.$ref === undefined ? schema : (openApiDocument() as unknown as Document).components.schemas![schema.$ref.split('/')[3]!];
  return /^\^([a-z]+)_/.exec((named as { pattern?: string }).pattern ?? '')?.[1] ?? 'none';
}

for (const engine of engines) {
  test(`${engine}: what an endpoint needs is needed, and is enough`, async () => {
    const handler = createRouter<Caller>({
      routes: controlRoutes(kit.plane),
      requireHost: requireHost({ publicUrl: 'http://127.0.0.1', hosts: 'any' }),
      authenticate: callerOf,
      // Ports that this control plane does not have: far beyond what is asked here.
      onFailure: () => {},
    });
    const server = await startHttpServer({ host: '127.0.0.1', port: 0, engine, handler, closeGraceMs: 100 });
    try {
      const requests = new Requests(`http://127.0.0.1:${server.port}`, openApiDocument() as unknown as Document);
      for (const id of inProject) {
        const needed = neededBy(id);
        for (const one of needed) {
          const { status, json } = await requests.send(id, { ids, authorization: `Bearer -${one}` });
          assert.deepEqual([status, json?.code, json?.details], [403, 'control.FORBIDDEN', { required: one }], id);
        }
        const none = await requests.send(id, { ids, authorization: 'Bearer +nothing' });
        assert.deepEqual([none.status, none.json?.code], [404, 'control.NOT_FOUND'], id);
        const enough = await requests.send(id, { ids, authorization: `Bearer +${needed.join('~')}` });
        assert.ok(enough.status !== 401 && enough.status !== 403, `${id}: ${enough.status} ${JSON.stringify(enough.json)}`);
      }
    } finally {
      await server.close();
    }
  });
}
