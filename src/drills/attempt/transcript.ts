// The transcript of an attempt: each thing that its agent says, with the place of the journal at which it says it.
//   TRANSCRIPT-1. A line stands after what the agent has called by then and before what it calls next: the world is asked where it stands
//     in the order of the agent's calls.
//   TRANSCRIPT-2. It is bounded; what does not fit is counted. Nothing here reaches the world or its evidence.
//   TRANSCRIPT-3. Messages are kept, for an agent says them to that end; lines of its log as the drill's policy for logs says.
import { limits } from '../../contract/limits.js';
import type { CapturePolicy } from '../../contract/run/drill.js';
import type { Transcript, TranscriptLine } from '../../contract/run/transcript.js';
import type { WorldRef } from '../../worlds/api.js';
import type { Said, Say } from '../targets/target-run.js';

export interface TranscriptParts {
  /** Of logs. */
  policy: CapturePolicy;
  onLine(line: TranscriptLine): void;
}

/** What one interaction says; nothing after `end`. */
export interface Speaker {
  say: Say;
  end(): Promise<void>;
}

export class AttemptTranscript {
  readonly #parts: TranscriptParts;
  readonly #lines: TranscriptLine[] = [];
  #chars = 0;
  #left = 0;

  constructor(parts: TranscriptParts) {
    this.#parts = parts;
  }

  speakerOf(interactionId: string, world: Pick<WorldRef, 'query'>): Speaker {
    let ended = false;
    let written: Promise<void> = Promise.resolve();
    return {
      say: (said) => {
        if (ended) return;
        const text = this.#admit(said);
        if (text === undefined) return;
        const position = world.query({ kind: 'position' });
        written = Promise.all([written, position]).then(
          ([, { evidenceSequence, virtualTimeUs }]) =>
            this.#add({ interactionId, role: said.role, text, afterSequence: evidenceSequence, virtualTimeUs }),
          // The world is gone: so is the place in it.
          () => this.#leave(),
        );
        // `end` tells of a listener that threw.
        written.catch(() => {});
      },
      end: async () => {
        ended = true;
        await written;
      },
    };
  }

  /** Absent: nothing was said, or nothing of it is kept. */
  settle({ passed }: { passed: boolean }): Transcript | undefined {
    const { policy } = this.#parts;
    const keepsLog = policy === 'always' || (policy === 'on_failure' && !passed);
    const lines = this.#lines.filter(({ role }) => keepsLog || role !== 'log');
    return lines.length === 0 ? undefined : { lines, left: this.#left };
  }

  #admit({ text }: Said): string | undefined {
    const kept = text.length <= limits.transcriptTextCharsMax ? text : `${text.slice(0, limits.transcriptTextCharsMax)}…`;
    // Counted as it is said, so that a flood asks the world nothing.
    this.#chars += kept.length + limits.transcriptLineCharsCost;
    if (this.#chars <= limits.transcriptCharsMax) return Buffer.from(kept).toString('utf8');
    this.#leave();
    return undefined;
  }

  #leave(): void {
    this.#left += 1;
  }

  #add(line: TranscriptLine): void {
    this.#lines.push(line);
    this.#parts.onLine(line);
  }
}
