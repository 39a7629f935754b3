// The codecs of a world's tools: made when one is first needed, apart from the behaviors that hold its handlers.
import type { LoadedTool, ToolCodecs } from '../tools/loaded-tool.js';

export class Codecs {
  readonly #isForgetful: boolean;
  readonly #made = new Map<string, ToolCodecs>();

  /** `isForgetful`: they are made anew for each message, so that what they keep in variables shows. */
  constructor({ isForgetful }: { isForgetful: boolean }) {
    this.#isForgetful = isForgetful;
  }

  /** Throws world.HANDLER_FAILED for a module that cannot be loaded. */
  of(tool: LoadedTool): ToolCodecs {
    const known = this.#isForgetful ? undefined : this.#made.get(tool.packageId);
    if (known !== undefined) return known;
    const codecs = tool.codecs();
    this.#made.set(tool.packageId, codecs);
    return codecs;
  }
}
