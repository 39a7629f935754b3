// Bindings whose HTTP endpoints lie behind recording proxies: agents get other ports and the same paths.
import { defined } from '../contract/defined.js';
import type { Access, BindingsPort } from '../drills/ports/bindings-port.js';
import { type RecordedRequest, type RecordingProxy, startRecordingProxy } from './recording-proxy.js';

/** `record` gets the name of the mount too, where the port itself is of one. */
export function recordBindings(
  bindings: BindingsPort,
  record: (exchange: RecordedRequest, mount: string | undefined) => void,
): BindingsPort {
  const proxies = new Map<string, Promise<RecordingProxy>>();
  const behind = async (url: string, mount?: string): Promise<string> => {
    const place = new URL(url);
    const { port } = place;
    const known = proxies.get(port);
    const proxy = known ?? startRecordingProxy({ port: Number(port), record: (exchange) => record(exchange, mount) });
    if (known === undefined) proxies.set(port, proxy);
    place.port = String((await proxy).port);
    return place.href.replace(/\/$/, '');
  };
  const endpointsBehind = async (endpoints: Access['endpoints']): Promise<Access['endpoints']> => {
    if (endpoints.http === undefined) return endpoints;
    const http = { ...endpoints.http, url: await behind(endpoints.http.url) };
    if (http.mounts === undefined) return { ...endpoints, http };
    const mounts: { [mount: string]: { url: string } } = {};
    for (const [mount, { url }] of Object.entries(http.mounts)) mounts[mount] = { url: await behind(url, mount) };
    return { ...endpoints, http: { ...http, mounts } };
  };
  return {
    available: bindings.available,
    httpMounts: bindings.httpMounts,
    open: async (request) => {
      const access = await bindings.open(request);
      const endpoints = await endpointsBehind(access.endpoints);
      return {
        endpoints,
        ...defined({ address: access.address, direct: access.direct }),
        observed: () => access.observed(),
        unanswered: () => access.unanswered(),
        revoke: () => access.revoke(),
      };
    },
    close: async () => {
      for (const proxy of proxies.values()) await (await proxy).close();
      await bindings.close();
    },
  };
}
