// Makes the requests that its task lists to Zendesk's API, as its clients send them: with `email/token` and the token as basic credentials.
// A step: { send, json?, key?, status?, replyHeaders?, returns? }; `returns` names the members that count, however deep.
export default async ({ task }, { binding }) => {
  const { url, token } = binding.http;
  const authorization = `Basic ${Buffer.from(`ines@desk.example/token:${token}`).toString('base64')}`;
  const { requests } = task.input;
  for (const [index, { send, json, key, status = 200, replyHeaders = {}, returns }] of requests.entries()) {
    const [method, path] = send.split(' ');
    const reply = await fetch(url + path, {
      method,
      headers: {
        authorization,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const body = await reply.json();
    if (reply.status !== status || !covers(Object.fromEntries(reply.headers), replyHeaders) || !covers(body, returns ?? {})) {
      throw new Error(
        `request ${index + 1}, ${send}: expected ${status} ${JSON.stringify(returns ?? {})}, got ${reply.status} ${JSON.stringify(body)}`,
      );
    }
  }
  return { requests: requests.length };
};

/** Every member of `expected` is in `actual`; lists are as long as expected. */
function covers(actual, expected) {
  if (expected === null || typeof expected !== 'object') return actual === expected;
  if (actual === null || typeof actual !== 'object') return false;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) return false;
  return Object.entries(expected).every(([name, member]) => covers(actual[name], member));
}
