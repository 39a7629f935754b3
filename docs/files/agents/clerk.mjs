// Writes a note, or reads one; asks again, with the same key, where that may help.
export default async function clerk({ task }, { world }) {
  const { id, text } = task.input;
  if (text === undefined) return { read: (await world.call('notes', 'note.get', { id })).kind };
  let outcome;
  for (let tries = 0; tries < 3; tries++) {
    outcome = await world.call('notes', 'note.add', { id, text }, { idempotencyKey: id });
    if (outcome.kind !== 'tool_error' || !outcome.error.retryable) break;
  }
  return outcome.kind === 'ok' ? { wrote: id } : { refused: outcome.kind };
}
