// The inspector's API as a client of a large run sees it. Runs as a thread, and posts its figures.
// Replies are taken as bytes: what a client makes of them is its own affair.
import { Agent, type IncomingMessage, get as request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { baseUrl, token, runId } = workerData as { baseUrl: string; token: string; runId: string };
async function measure(): Promise<object> {
  const headers = { authorization: `Bearer ${token}` };
  const agent = new Agent({ keepAlive: true });
  const get = async (path: string): Promise<Buffer> => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${baseUrl}/api/v1/runs${path}`, { headers, agent }, resolve).on('error', reject);
    });
    const body = await buffer(response);
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${body}`);
    return body;
  };
  const listMs = 1000 * (await seconds(() => get('?limit=100')));
  const firstPageMs = 1000 * (await seconds(() => get(`/${runId}/evidence?limit=500`)));
  // A page at the end waits for the index.
  const indexSeconds = await seconds(() => get(`/${runId}/state-namespaces`));
  const { evidence } = JSON.parse((await get(`/${runId}`)).toString()) as { evidence: { toSequence: number } };
  const total = evidence.toSequence;
  const random = spread(total);
  const page = await times(400, () => get(`/${runId}/evidence?limit=500&fromSequence=${random()}`));
  const state = await times(200, () => get(`/${runId}/state?packageId=ticks&namespace=rows&limit=100&atSequence=${random()}`));
  const deepState = await times(50, () =>
    get(`/${runId}/state?packageId=ticks&namespace=rows&limit=500&afterRowId=r2500&atSequence=${random()}`),
  );
  const text = (q: string): string => `q=${encodeURIComponent(q)}`;
  const searches = {
    nowhere: text('no such text'),
    rare: text('"toUs"'),
    often: text('"r4999"'),
    upper: text('NO SUCH TEXT'),
    problems: 'problems=only',
    actor: 'actorId=nobody-of-that-name',
    operation: 'packageId=ticks&operationId=no.such&outcome=denied',
  };
  const search: { [what: string]: number } = {};
  for (const [what, query] of Object.entries(searches))
    search[`search_${what}_ms`] = rounded((await times(5, () => get(`/${runId}/evidence/search?view=sequences&${query}`))).max);
  const chain = await times(100, () => get(`/${runId}/evidence/${random()}/chain`));
  const timeline = await times(20, () => get(`/${runId}/timeline?buckets=1000`));
  // A search of somebody else must not hold up a page.
  let searching = true;
  const other = get(`/${runId}/evidence/search?q=${encodeURIComponent('no such text')}`).finally(() => {
    searching = false;
  });
  let beside = 0;
  while (searching) {
    beside = Math.max(beside, 1000 * (await seconds(() => get(`/${runId}/evidence?limit=500&fromSequence=${random()}`))));
    await setTimeout(1);
  }
  await other;
  return {
    journal: total,
    listMs: rounded(listMs),
    firstPageMs: rounded(firstPageMs),
    indexSeconds: rounded(indexSeconds),
    pageP50Ms: page.p50,
    pageP99Ms: page.p99,
    stateP50Ms: state.p50,
    stateP99Ms: state.p99,
    deepStateP50Ms: deepState.p50,
    ...search,
    chainP50Ms: chain.p50,
    chainMaxMs: chain.max,
    timelineP50Ms: timeline.p50,
    pageBesideSearchMaxMs: rounded(beside),
  };
}

async function times(count: number, work: () => Promise<unknown>): Promise<{ p50: number; p99: number; max: number }> {
  const taken: number[] = [];
  for (let index = 0; index < count; index++) taken.push(1000 * (await seconds(work)));
  taken.sort((left, right) => left - right);
  const at = (share: number): number => rounded(taken[Math.min(count - 1, Math.floor(share * count))] as number);
  return { p50: at(0.5), p99: at(0.99), max: rounded(taken[count - 1] as number) };
}

/** Places all over a journal, the same in each run of the bench. */
function spread(total: number): () => number {
  let at = 12_345;
  return () => {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 1 + (at % total);
  };
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
const rounded = (value: number): number => Number(value.toFixed(2));

parentPort?.postMessage(await measure());
