// What a behavior asks of its context by names that the manifest lacks: each such call fails when it is reached, and an agent that shrugs
// at errors hides it. Read from the text of calls (`context.state.put('notes', ...)`, or `state.put('notes', ...)` where the context was
// taken apart); a context that goes by other ways is not seen.
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import { scriptTokens, type Token } from '../tools/script-tokens.js';
import type { BundledFile } from './behavior-bundle.js';
import { didYouMean } from './did-you-mean.js';
import { placeIn } from './handler-place.js';

export interface UseFinding {
  place: { path: string; line: number; column: number } | undefined;
  message: string;
  suggestion?: string | undefined;
}

type Capability = ToolManifest['capabilities'][number];
interface Method {
  needs: Capability;
  /** What the first argument names. */
  names?: 'namespace' | 'event';
  arity: number;
}
const methods: { readonly [owner: string]: { readonly [method: string]: Method } } = {
  state: {
    get: { needs: 'state.read', names: 'namespace', arity: 2 },
    scan: { needs: 'state.read', names: 'namespace', arity: 1 },
    put: { needs: 'state.write', names: 'namespace', arity: 3 },
    delete: { needs: 'state.write', names: 'namespace', arity: 2 },
  },
  events: {
    emit: { needs: 'event.emit', names: 'event', arity: 2 },
    scheduleAt: { needs: 'clock.schedule', names: 'event', arity: 3 },
    cancel: { needs: 'clock.schedule', arity: 1 },
  },
  clock: { nowUs: { needs: 'clock.read', arity: 0 } },
  random: {
    nextFloat: { needs: 'random.draw', arity: 0 },
    nextInteger: { needs: 'random.draw', arity: 2 },
    nextU64: { needs: 'random.draw', arity: 0 },
  },
};

const declaring: ReadonlySet<string> = new Set(['const', 'let', 'var', 'function', 'class']);

/** `code` is the bundle of `files`. */
export function useFindings(manifest: ToolManifest, code: string, files: readonly BundledFile[]): UseFinding[] {
  const tokens = scriptTokens(code);
  if (tokens === undefined) return [];
  const found = new Map<string, UseFinding>();
  const uses = new Uses(manifest, tokens);
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'name') continue;
    for (const { written, ...finding } of [...uses.ofContext(index), ...uses.ofFailure(index)])
      if (!found.has(finding.message)) found.set(finding.message, { ...finding, place: placeOf(files, written) });
  }
  return [...found.values()];
}

/** `written`: what stands in the source. */
type Use = Omit<UseFinding, 'place'> & { written: RegExp };

class Uses {
  readonly #manifest: ToolManifest;
  readonly #tokens: readonly Token[];
  /** What the code itself declares under such a name is no part of a context. */
  readonly #declared: ReadonlySet<string>;

  constructor(manifest: ToolManifest, tokens: readonly Token[]) {
    this.#manifest = manifest;
    this.#tokens = tokens;
    this.#declared = new Set(tokens.flatMap(({ text }, index) => (declaring.has(this.#name(index - 1) ?? '') ? [text] : [])));
  }

  /** At `state.put("notes"`. */
  ofContext(index: number): Use[] {
    const [owner = '', name = ''] = [this.#name(index), this.#name(index + 2)];
    if (!this.#areSigns([index + 1, '.'], [index + 3, '(']) || !Object.hasOwn(methods, owner)) return [];
    const method = Object.hasOwn(methods[owner] ?? {}, name) ? methods[owner]?.[name] : undefined;
    if (method === undefined || !this.#isOfContext(index)) return [];
    const { capabilities } = this.#manifest;
    const call = `\\b${owner}\\s*\\.\\s*${name}\\b`;
    const lacking = capabilities.includes(method.needs)
      ? []
      : [
          {
            written: new RegExp(call),
            message: `'${owner}.${name}' needs the capability '${method.needs}', which the manifest does not list`,
            suggestion: `Add ${method.needs} to its capabilities.`,
          },
        ];
    const named = this.#tokens[index + 4];
    if (method.names === undefined || named?.kind !== 'text') return lacking;
    const known =
      method.names === 'event' ? this.#manifest.events.map(({ id }) => id) : this.#manifest.state.map(({ namespace }) => namespace);
    if (known.includes(named.text)) return lacking;
    // A map has such methods, too, and a parameter may be called as the context's member is.
    const isPlain = !this.#areSigns([index - 1, '.']);
    if (isPlain && method.arity > 1 && !this.#areSigns([index + 5, ','])) return lacking;
    const suggestion = didYouMean(named.text, known);
    const written = new RegExp(`${call}[^(]*\\(\\s*['"\`]${escaped(named.text)}['"\`]`);
    return [...lacking, { written, message: `the manifest declares no ${method.names} '${named.text}'`, suggestion }];
  }

  /** At `fail({code:"TAKEN"`. A subscription may fail with any code, so there one that is like no declared one is believed. */
  ofFailure(index: number): Use[] {
    const code = this.#tokens[index + 5];
    if (this.#name(index) !== 'fail' || this.#name(index + 3) !== 'code' || code?.kind !== 'text') return [];
    if (!this.#areSigns([index + 1, '('], [index + 2, '{'], [index + 4, ':']) || !this.#isOfContext(index)) return [];
    const { operations, subscriptions } = this.#manifest;
    const known = [...new Set(operations.flatMap(({ declaredErrors = [] }) => declaredErrors.map((error) => error.code)))];
    const suggestion = didYouMean(code.text, known);
    if (known.includes(code.text) || (subscriptions.length > 0 && !suggestion?.startsWith('Did'))) return [];
    const written = new RegExp(`\\bfail\\s*\\(\\s*\\{\\s*code\\s*:\\s*['"\`]${escaped(code.text)}['"\`]`);
    return [{ written, message: `no operation of the manifest declares the error '${code.text}'`, suggestion }];
  }

  #isOfContext(index: number): boolean {
    return this.#areSigns([index - 1, '.']) || !this.#declared.has(this.#name(index) ?? '');
  }
  #name(index: number): string | undefined {
    const token = this.#tokens[index];
    return token?.kind === 'name' ? token.text : undefined;
  }
  #areSigns(...signs: [index: number, sign: string][]): boolean {
    return signs.every(([index, sign]) => this.#tokens[index]?.kind === 'sign' && this.#tokens[index]?.text === sign);
  }
}

function placeOf(files: readonly BundledFile[], written: RegExp): UseFinding['place'] {
  for (const file of files) {
    const found = written.exec(file.text);
    if (found !== null) return placeIn(file, found.index);
  }
  return undefined;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
