// Makes the calls that its task lists, one after another, and stops at the first answer that is not the expected one.
// A step: { call, with?, key?, as?, error?, kind?, returns? }. `returns` names the members that count, however deep; `as` keeps
// the answer, and a later argument "$name.member" is read from it.
// The same file in each package of the library: a package is copied whole, so its drills import nothing from outside of it.
export default async ({ task }, { world }) => {
  const { packageId, calls } = task.input;
  const kept = {};
  for (const [index, step] of calls.entries()) {
    const options = step.key === undefined ? {} : { idempotencyKey: step.key };
    const outcome = await world.call(packageId, step.call, filled(step.with ?? {}, kept), options);
    const expected = step.error ?? step.kind ?? 'ok';
    const actual = outcome.kind === 'ok' || step.kind !== undefined ? outcome.kind : outcome.error.code;
    if (actual !== expected) throw new Error(`call ${index + 1}, ${step.call}: expected ${expected}, got ${JSON.stringify(outcome)}`);
    if (step.returns !== undefined && !covers(outcome.value, step.returns)) {
      throw new Error(`call ${index + 1}, ${step.call}: expected ${JSON.stringify(step.returns)} in ${JSON.stringify(outcome.value)}`);
    }
    if (step.as !== undefined) kept[step.as] = outcome.value;
  }
  return { calls: calls.length };
};

function filled(value, kept) {
  if (typeof value === 'string' && value.startsWith('$')) {
    return value
      .slice(1)
      .split('.')
      .reduce((from, member) => from[member], kept);
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
