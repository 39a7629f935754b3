// Makes requests to Notion's own API, one after another, and stops at the first answer that is not the expected one.
// A step: { send, json?, body?, auth?, as?, status?, returns?, absent? }, { send, times, statuses } or { wait }. `returns` names the members
// that count, however deep; `absent` is a text that the answer must not have; `as` keeps the answer, and `{name.member}` anywhere in a later
// step is read from it. `wait` lets so many microseconds of virtual time go by.

/** When the world begins, as its world.yaml says. */
const startUs = 1772442000000000;

export async function makeRequests(requests, { url, token }) {
  const kept = {};
  let nowUs = startUs;
  for (const [index, step] of requests.entries()) {
    if (step.wait !== undefined) {
      nowUs += step.wait;
      const reply = await send({ url, token }, { send: 'POST /v1/wait', json: { untilUs: nowUs } });
      if (!reply.ok) throw new Error(`request ${index + 1} did not wait: ${await reply.text()}`);
      continue;
    }
    if (step.times !== undefined) {
      for (let count = 0; count < step.times; count += 1) {
        const { status } = await send({ url, token }, step);
        if (!step.statuses.includes(status)) throw new Error(`request ${index + 1}, ${step.send}: got ${status}`);
      }
      continue;
    }
    const { as, status = 200, returns = {}, absent, ...request } = filled(step, kept);
    const reply = await send({ url, token }, request);
    const text = await reply.text();
    const body = JSON.parse(text);
    const isRight = reply.status === status && covers(body, returns) && (absent === undefined || !text.includes(absent));
    if (!isRight) {
      const expected = `${status} ${JSON.stringify(returns)}${absent === undefined ? '' : ` without ${absent}`}`;
      throw new Error(`request ${index + 1}, ${request.send}: expected ${expected}, got ${reply.status} ${text}`);
    }
    if (as !== undefined) kept[as] = body;
  }
  return { requests: requests.length };
}

function send({ url, token }, { send: line, json, body, auth = `Bearer ${token}` }) {
  const [method, path] = line.split(' ');
  const headers = {
    authorization: auth,
    'notion-version': '2025-09-03',
    ...((json ?? body) ? { 'content-type': 'application/json' } : {}),
  };
  return fetch(url + path, { method, headers, ...((json ?? body) ? { body: body ?? JSON.stringify(json) } : {}) });
}

function filled(value, kept) {
  if (typeof value === 'string')
    return value.replace(/\{(\w+(?:\.\w+)+)\}/g, (_, path) => path.split('.').reduce((from, name) => from[name], kept));
  if (Array.isArray(value)) return value.map((item) => filled(item, kept));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, kept)]));
}

/** Every member of `expected` is in `actual`; lists are as long as expected. */
function covers(actual, expected) {
  if (expected === null || typeof expected !== 'object') return actual === expected;
  if (actual === null || typeof actual !== 'object') return false;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) return false;
  return Object.entries(expected).every(([name, member]) => covers(actual[name], member));
}
