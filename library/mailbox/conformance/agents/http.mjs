// Makes the requests that its task lists with nothing but fetch, as a vendor's client would, and stops at the first reply that is not the expected one.
// A step: { method?, path, json?, form?, text?, headers?, status?, replyHeaders?, returns? }. `returns` names the members of the JSON reply that count, however
// deep, or is the text of a reply that is no JSON.
export default async ({ task }, { binding }) => {
  const { url, token } = binding.http;
  for (const [index, step] of task.input.requests.entries()) {
    const reply = await fetch(url + step.path, { method: step.method ?? 'GET', ...written(step, token) });
    const text = await reply.text();
    const where = `request ${index + 1}, ${step.method ?? 'GET'} ${step.path}`;
    if (reply.status !== (step.status ?? 200)) throw new Error(`${where}: expected ${step.status ?? 200}, got ${reply.status} ${text}`);
    if (step.replyHeaders !== undefined && !covers(Object.fromEntries(reply.headers), step.replyHeaders)) {
      throw new Error(`${where}: expected ${JSON.stringify(step.replyHeaders)} in ${JSON.stringify([...reply.headers])}`);
    }
    if (step.returns === undefined) continue;
    const value = typeof step.returns === 'string' ? text : JSON.parse(text);
    if (!covers(value, step.returns)) throw new Error(`${where}: expected ${JSON.stringify(step.returns)} in ${text}`);
  }
  return { requests: task.input.requests.length };
};

function written({ json, form, text, headers = {} }, token) {
  const all = { authorization: `Bearer ${token}`, ...headers };
  if (json !== undefined) return { headers: { ...all, 'content-type': 'application/json' }, body: JSON.stringify(json) };
  if (form !== undefined) return { headers: all, body: new URLSearchParams(form) };
  if (text !== undefined) return { headers: { ...all, 'content-type': 'text/plain' }, body: text };
  return { headers: all };
}

/** Every member of `expected` is in `actual`; lists are as long as expected. */
function covers(actual, expected) {
  if (expected === null || typeof expected !== 'object') return actual === expected;
  if (actual === null || typeof actual !== 'object') return false;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) return false;
  return Object.entries(expected).every(([name, member]) => covers(actual[name], member));
}
