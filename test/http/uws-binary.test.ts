// Which build of uWebSockets.js is taken, and for whom.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadUws, type Uws, type UwsApp, type UwsRequest, type UwsResponse, uwsBinaries } from '../../src/http/uws-binary.js';
import { readsRequestsWhole } from '../../src/http/uws-probe.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-uws-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

function folder(name: string, { packageName, file }: { packageName?: string; file: string }): string {
  const path = join(scratch, name);
  mkdirSync(join(path, 'binaries'), { recursive: true });
  if (packageName !== undefined) writeFileSync(join(path, 'package.json'), JSON.stringify({ name: packageName }));
  writeFileSync(join(path, file), '');
  return path;
}

test("its makers' package is taken before a repackaged one, wherever the two lie", () => {
  const repackaged = folder('near', { packageName: '@somebody/uws', file: join('binaries', binary) });
  const official = folder('far', { packageName: 'uWebSockets.js', file: binary });
  const nameless = folder('nameless', { file: binary });
  const foreign = folder('foreign', { packageName: 'uWebSockets.js', file: 'uws_for_another_1.node' });
  assert.deepEqual(uwsBinaries([repackaged, nameless, foreign, official, join(scratch, 'absent')]), [
    { file: join(official, binary), isOfficial: true },
    { file: join(repackaged, 'binaries', binary), isOfficial: false },
    { file: join(nameless, binary), isOfficial: false },
  ]);
});

/** A build that reads as node:http does. */
const sound: Uws = {
  App() {
    const server = createServer();
    const app: UwsApp = {
      any(_, handler) {
        server.on('request', (message, response) => {
          const { method = '', url = '', rawHeaders: raw } = message;
          const forEach: UwsRequest['forEach'] = (call) => {
            for (let index = 0; index < raw.length; index += 2) call(raw[index]!.toLowerCase(), raw[index + 1]!);
          };
          const reply = { onAborted() {}, end: () => void response.end() } as unknown as UwsResponse;
          handler(reply, { getMethod: () => method, getUrl: () => url, getQuery: () => '', forEach });
        });
        return app;
      },
      listen(host, port, _, callback) {
        server.listen(port, host, () => callback(server));
        return app;
      },
      close: () => void server.close().closeAllConnections(),
    };
    return app;
  },
  us_socket_local_port: (socket) => ((socket as ReturnType<typeof createServer>).address() as AddressInfo).port,
};
/** The same build, but for what its handler sees of a request. */
function seeing(uws: Uws, change: (fields: [name: string, value: string][]) => [name: string, value: string][]): Uws {
  const App = (): UwsApp => {
    const app = uws.App();
    const any: UwsApp['any'] = (pattern, handler) => {
      app.any(pattern, (response, request) => {
        const fields: [string, string][] = [];
        request.forEach((name, value) => {
          fields.push([name, value]);
        });
        const url = request.getUrl();
        const forEach: UwsRequest['forEach'] = (call) => {
          for (const field of change(fields)) call(...field);
        };
        handler(response, { ...request, getUrl: () => url, forEach });
      });
      return app;
    };
    return { ...app, any, listen: (...parts) => app.listen(...parts), close: () => app.close() };
  };
  return { App, us_socket_local_port: (socket) => uws.us_socket_local_port(socket) };
}

test('a build is taken for strangers that sees every byte, every field, and the end of every chunk', { timeout: 30_000 }, async () => {
  assert.equal(await readsRequestsWhole(sound), true);
  const cutting = seeing(sound, (fields) => fields.map(([name, value]) => [name, value.replace(/^[^!-~]+|[^!-~]+$/g, '')]));
  assert.equal(await readsRequestsWhole(cutting), false);
});

test('a build that keeps high bytes is refused for what else it does not see', { skip: loadUws() === undefined }, async () => {
  const { uws } = loadUws()!;
  const mended = (hidden: boolean) =>
    seeing(uws, (fields) => [
      ...fields.map(([name, value]): [string, string] => [name, name === 'x-ends' ? '\xe9a\xe9' : value]),
      ...(hidden ? ([['x-hidden', 'a']] satisfies [string, string][]) : []),
    ]);
  assert.equal(await readsRequestsWhole(mended(false)), false, 'fields behind an empty name');
  assert.equal(await readsRequestsWhole(mended(true)), false, 'ends of chunks');
});
