// Makes the requests that its task lists to the Web API, one after another, and stops at the first answer that is not the expected one.
// A step: { send, form?, json?, text?, token?, status?, headers?, returns? }; `returns` names the members that count, however deep, or is
// the whole text.
export default async ({ task }, { binding }) => {
  const { url, token } = binding.http;
  const { requests } = task.input;
  for (const [index, { send, form, json, text, token: other, status = 200, headers = {}, returns }] of requests.entries()) {
    const [method, path] = send.split(' ');
    const type = json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
    const body = form === undefined ? (json === undefined ? text : JSON.stringify(json)) : new URLSearchParams(form);
    const reply = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${other ?? token}`,
        ...(text === undefined ? type : { 'content-type': 'application/octet-stream' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const answered = await reply.text();
    const value = typeof returns === 'string' ? answered : JSON.parse(answered);
    const isExpected = reply.status === status && covers(value, returns ?? {});
    if (!isExpected || !Object.entries(headers).every(([name, wanted]) => reply.headers.get(name) === wanted)) {
      throw new Error(
        `request ${index + 1}, ${send}: expected ${status} ${JSON.stringify(returns ?? {})}, got ${reply.status} ${answered}`,
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
