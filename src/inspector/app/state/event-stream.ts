// Server-sent events out of a fetch body: EventSource cannot carry the bearer in a header.
export interface StreamEvent {
  type: string;
  data: string;
}

/** Feed it text as it arrives, whatever the pieces; it returns the events that are complete. */
export class EventStreamParser {
  #rest = '';
  #type = 'message';
  #data: string[] = [];

  push(text: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line, events);
    return events;
  }

  #line(line: string, events: StreamEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push({ type: this.#type, data: this.#data.join('\n') });
      this.#type = 'message';
      this.#data = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#type = value;
    else if (name === 'data') this.#data.push(value);
  }
}
