// Reads one message as often as its task says, and retries what may be retried.
export default async ({ task }, { world }) => {
  const { messageId, times } = task.input;
  let failures = 0;
  for (let done = 0; done < times; ) {
    const outcome = await world.call('mailbox', 'message.get', { messageId });
    if (outcome.kind === 'ok') done += 1;
    else if (outcome.error.retryable) failures += 1;
    else throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
  }
  return { failures };
};
