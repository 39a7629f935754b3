// A channel of messages over a byte stream between two processes: each is its length (4 bytes, little endian) and what the codec makes of
// it. It carries data only: no handles, no code, and nothing is read that the reader did not bound. So a reader may distrust its writer.
// Not over Node's own channel: that one ends the process that reads when the other writes anything else into it.
//   FRAMED-CHANNEL-1. A message longer than the reader's bound, or one that the codec cannot read, ends the channel with a violation;
//     nothing after it is read.
//   FRAMED-CHANNEL-2. Messages arrive in the order in which they were sent.
import type { Duplex } from 'node:stream';
import { deserialize, serialize } from 'node:v8';

export interface ChannelCodec {
  /** Throws where the value cannot be written. */
  encode(value: unknown): Buffer;
  /** Throws where the bytes are no message. */
  decode(bytes: Buffer): unknown;
}
/** Values that a thread could be sent: bytes stay bytes. */
export const cloneCodec: ChannelCodec = { encode: (value) => serialize(value), decode: (bytes) => deserialize(bytes) as unknown };

const headerBytes = 4;

export interface ChannelEvents {
  /** `bytes`: of the message, as it came. */
  message(value: unknown, bytes: number): void;
  /** The other side broke the rules. The channel reads nothing more; its owner ends the other side. */
  violation(reason: string): void;
  /** Everything that the other side sent has been read. */
  closed(): void;
}

export class FramedChannel {
  readonly #stream: Duplex;
  readonly #events: ChannelEvents;
  readonly #messageBytesMax: number;
  readonly #codec: ChannelCodec;
  #chunks: Buffer[] = [];
  #held = 0;
  #over = false;

  /** `messageBytesMax`: of one message in either direction. */
  constructor(stream: Duplex, { codec, messageBytesMax }: { codec: ChannelCodec; messageBytesMax: number }, events: ChannelEvents) {
    this.#stream = stream;
    this.#events = events;
    this.#messageBytesMax = messageBytesMax;
    this.#codec = codec;
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    // An end that the other side brings about is no error of ours; `close` follows.
    stream.on('error', () => {});
    stream.on('close', () => {
      this.#over = true;
      events.closed();
    });
  }

  /** Throws when the codec cannot write the value, or it is too large; then nothing was sent. What is sent after the end is dropped. */
  send(value: unknown): void {
    const content = this.#codec.encode(value);
    if (content.length > this.#messageBytesMax)
      throw new RangeError(`a message of ${content.length} bytes; at most ${this.#messageBytesMax} are sent`);
    if (this.#over || !this.#stream.writable) return;
    const header = Buffer.allocUnsafe(headerBytes);
    header.writeUInt32LE(content.length);
    this.#stream.cork();
    this.#stream.write(header);
    this.#stream.write(content);
    this.#stream.uncork();
  }

  close(): void {
    this.#stream.destroy();
  }

  /** Reads nothing more, and sends nothing. `closed` follows all the same. */
  stop(): void {
    this.#over = true;
    this.#chunks = [];
    this.#held = 0;
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held < headerBytes) return;
    // Joined once a message is whole: a long one arrives in many chunks.
    if (this.#held < headerBytes + this.#nextLength()) return;
    let rest = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    while (rest.length >= headerBytes && !this.#over) {
      const end = headerBytes + rest.readUInt32LE(0);
      if (end > headerBytes + this.#messageBytesMax) {
        this.#violate('a message is too long');
        return;
      }
      if (rest.length < end) break;
      this.#read(rest.subarray(headerBytes, end));
      rest = rest.subarray(end);
    }
    if (this.#over) return;
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#held = rest.length;
  }

  #nextLength(): number {
    if ((this.#chunks[0] as Buffer).length < headerBytes) this.#chunks = [Buffer.concat(this.#chunks)];
    const length = (this.#chunks[0] as Buffer).readUInt32LE(0);
    if (length <= this.#messageBytesMax) return length;
    this.#violate('a message is too long');
    return Number.POSITIVE_INFINITY;
  }

  #read(bytes: Buffer): void {
    let value: unknown;
    try {
      value = this.#codec.decode(bytes);
    } catch (error) {
      this.#violate(`a message is not readable: ${(error as Error).message}`);
      return;
    }
    this.#events.message(value, bytes.length);
  }

  #violate(reason: string): void {
    if (this.#over) return;
    this.stop();
    this.#events.violation(reason);
  }
}
