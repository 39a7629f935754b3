// Makes the requests that its task lists to Stripe's HTTP API, one after another, and stops at the first answer that is not the
// expected one. A step: { send, form?, key?, status?, returns? }; `returns` names the members that count, however deep.
export default async ({ task }, { binding }) => {
  const { url, token } = binding.http;
  const { requests } = task.input;
  for (const [index, { send, form, key, status = 200, returns }] of requests.entries()) {
    const [method, path] = send.split(' ');
    const reply = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(key === undefined ? {} : { 'idempotency-key': key }) },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    const body = await reply.json();
    if (reply.status !== status || !covers(body, returns ?? {})) {
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
