// Server-sent events as wait-route.ts writes them: a name, one line of JSON, a blank line; and comments, which say nothing.
import { limits } from '../contract/limits.js';

export interface ReadEvent {
  name: string;
  value: unknown;
}

/** Ends where the stream ends or breaks off. */
export async function* readEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEvent> {
  const decoder = new TextDecoder();
  let text = '';
  const chunks = stream[Symbol.asyncIterator]();
  for (;;) {
    const chunk = await chunks.next().catch(() => ({ done: true, value: undefined }) as const);
    if (chunk.done === true) return;
    text += decoder.decode(chunk.value, { stream: true });
    if (text.length > limits.bodyBytesMax) return;
    const events = text.split('\n\n');
    text = events.pop() as string;
    for (const event of events) if (!event.startsWith(':')) yield parse(event);
  }
}

function parse(event: string): ReadEvent {
  const [, name = '', json = 'null'] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
  return { name, value: JSON.parse(json) as unknown };
}
