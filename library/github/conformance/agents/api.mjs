// Makes the requests that its task lists to GitHub's API, one after another, and stops at the first answer that is not the expected one.
// A step: { send, body?, status?, returns?, headers?, as? }; `returns` names the members that count, however deep. `as` keeps the answer, and
// `${name.member}` in a later path or body is read from it, as it is where nothing stands around it.
export default async ({ task }, { binding }) => {
  const { url, token } = binding.http;
  const kept = {};
  for (const [index, step] of task.input.requests.entries()) {
    const { send, body, status = 200, returns, headers = {}, as } = step;
    const [method, path] = filled(send, kept).split(' ');
    const reply = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(filled(body, kept)) }),
    });
    const text = await reply.text();
    const answer = text === '' ? null : JSON.parse(text);
    const head = Object.fromEntries(reply.headers);
    const expected = filled(returns ?? {}, kept);
    if (reply.status !== status || !covers(answer ?? {}, expected) || !covers(head, headers)) {
      const got = `${reply.status} ${text} ${JSON.stringify(head)}`.slice(0, 3000);
      throw new Error(`request ${index + 1}, ${send}: expected ${status} ${JSON.stringify(expected)}, got ${got}`);
    }
    if (as !== undefined) kept[as] = answer;
  }
  return { requests: task.input.requests.length };
};

function filled(value, kept) {
  if (typeof value === 'string') {
    const found = (path) => path.split('.').reduce((from, member) => from[member], kept);
    const [, whole] = /^\$\{([^}]+)\}$/.exec(value) ?? [];
    return whole === undefined ? value.replace(/\$\{([^}]+)\}/g, (_, path) => found(path)) : found(whole);
  }
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
