// HTTP load from a process of its own: wrk where it is installed, else autocannon. Each connection sends the given requests in turn.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface LoadRequest {
  method: string;
  path: string;
  headers: { [name: string]: string };
  body: string;
}
export interface Load {
  /** `http://host:port`. */
  origin: string;
  requests: readonly LoadRequest[];
  connections: number;
  seconds: number;
}
export interface LoadFigures {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  p999Ms: number;
  maxMs: number;
  /** Answers that are no success, and connections that broke. */
  errors: number;
}

const run = promisify(execFile);
export const loader = spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'autocannon';

export async function measureLoad(load: Load): Promise<LoadFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-load-'));
  try {
    return loader === 'wrk' ? await byWrk(load, folder) : await byAutocannon(load, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** wrk's own figures are rounded for reading; this prints them as they are. Latencies are in microseconds. */
async function byWrk({ origin, requests, connections, seconds }: Load, folder: string): Promise<LoadFigures> {
  const quoted = (text: string): string => JSON.stringify(text);
  const lines = requests.map(({ method, path, headers, body }) => {
    const table = Object.entries(headers).map(([name, value]) => `[${quoted(name)}]=${quoted(value)}`);
    return `    wrk.format(${quoted(method)}, ${quoted(path)}, {${table.join(',')}}, ${quoted(body)}),`;
  });
  const script = `local requests, at
function init(args)
  at = 0
  requests = {
${lines.join('\n')}
  }
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\n{"requests":%d,"us":%d,"p50":%d,"p99":%d,"p999":%d,"max":%d,"errors":%d}', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max, e.connect + e.read + e.write + e.status + e.timeout))
end
`;
  writeFileSync(join(folder, 'load.lua'), script);
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', join(folder, 'load.lua'), origin]);
  const { us, p50, p99, p999, max, errors, ...reported } = JSON.parse(stdout.split('\n').at(-1) ?? '') as { [figure: string]: number };
  const ms = (value: number | undefined): number => (value ?? Number.NaN) / 1000;
  return {
    requestsPerSecond: Math.round((reported.requests as number) / ((us as number) / 1e6)),
    p50Ms: ms(p50),
    p99Ms: ms(p99),
    p999Ms: ms(p999),
    maxMs: ms(max),
    errors: errors as number,
  };
}

async function byAutocannon({ origin, requests, connections, seconds }: Load, folder: string): Promise<LoadFigures> {
  const entry = createRequire(import.meta.url).resolve('autocannon');
  const options = { url: origin, connections, duration: seconds, requests };
  const script = `const result = await (await import(${JSON.stringify(join(dirname(entry), 'autocannon.js'))})).default(${JSON.stringify(options)});
process.stdout.write(JSON.stringify(result));`;
  writeFileSync(join(folder, 'load.mjs'), script);
  const { stdout } = await run(process.execPath, [join(folder, 'load.mjs')], { maxBuffer: 1 << 24 });
  const { requests: rate, latency, errors, non2xx } = JSON.parse(stdout);
  return {
    requestsPerSecond: Math.round(rate.average),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    p999Ms: latency.p99_9,
    maxMs: latency.max,
    errors: errors + non2xx,
  };
}
