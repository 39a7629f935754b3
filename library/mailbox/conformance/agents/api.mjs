// Makes the requests that its task lists to the mail API with nothing but fetch, as a vendor's client would, and stops at the first reply that is
// not the expected one. A step: { send, json?, form?, text?, key?, status?, replyHeaders?, returns? }. `returns` names the members of the JSON
// reply that count, however deep, or is the text of a reply that is no JSON.
export default async ({ task }, { binding }) => {
  const { url, token } = binding.http;
  const { requests } = task.input;
  for (const [index, { send, status = 200, replyHeaders = {}, returns = {}, ...step }] of requests.entries()) {
    const [method, path] = send.split(' ');
    const reply = await fetch(url + path, { method, ...written(step, token) });
    const text = await reply.text();
    const body = typeof returns === 'string' || text === '' ? text : JSON.parse(text);
    if (reply.status !== status || !covers(Object.fromEntries(reply.headers), replyHeaders) || !covers(body, returns)) {
      const got = JSON.stringify({ status: reply.status, headers: Object.fromEntries(reply.headers), body });
      throw new Error(`request ${index + 1}, ${send}: expected ${JSON.stringify({ status, replyHeaders, returns })}, got ${got}`);
    }
  }
  return { requests: requests.length };
};

function written({ json, form, text, key }, token) {
  const headers = { authorization: `Bearer ${token}`, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  if (json !== undefined) return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) };
  if (form !== undefined) return { headers, body: new URLSearchParams(form) };
  if (text !== undefined) return { headers: { ...headers, 'content-type': 'text/plain' }, body: text };
  return { headers };
}

/** Every member of `expected` is in `actual`; lists are as long as expected. */
function covers(actual, expected) {
  if (expected === null || typeof expected !== 'object') return actual === expected;
  if (Object.keys(expected).length === 0 && !Array.isArray(expected)) return true;
  if (actual === null || typeof actual !== 'object') return false;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) return false;
  return Object.entries(expected).every(([name, member]) => covers(actual[name], member));
}
