// Which handlers a behavior declares, read from its bundle without running it. Known is only what an author wrote as object literals,
// directly or through names that nothing else touches; of anything else this says nothing, and a world that loads the tool finds what is
// missing.
import { scriptTokens, type Token } from '../tools/script-tokens.js';
import { tuning } from './tuning.js';

export const handlerGroups = ['operations', 'subscriptions', 'http', 'callbacks'] as const;
export type HandlerGroup = (typeof handlerGroups)[number];
/** Absent: the ids of the group are not known. */
export type BehaviorOutline = { readonly [group in HandlerGroup]?: ReadonlySet<string> };

export function behaviorOutline(bundle: string): BehaviorOutline {
  const tokens = scriptTokens(bundle);
  return tokens === undefined ? {} : new Outline(tokens).groups();
}

class Outline {
  readonly #tokens: readonly Token[];
  /** How often each name occurs, as a variable or as a member. */
  readonly #uses = new Map<string, number>();
  /** Where the value of each variable begins; of one that is declared twice nothing is known. */
  readonly #values = new Map<string, number>();

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    for (const [index, { kind, text }] of tokens.entries()) {
      if (kind !== 'name') continue;
      this.#uses.set(text, (this.#uses.get(text) ?? 0) + 1);
      const declared = ['var', 'let', 'const'].includes(tokens[index - 1]?.text ?? '') && this.#isSign(index + 1, '=');
      if (declared) this.#values.set(text, this.#values.has(text) ? -1 : index + 2);
    }
  }

  groups(): BehaviorOutline {
    const start = this.#defaultExport();
    const behavior = start === undefined ? undefined : this.#membersAt(start, tuning.outlineNamesDeepMax);
    if (behavior === undefined) return {};
    const inner = behavior.get('behavior');
    const members = inner === undefined ? behavior : this.#membersAt(inner, tuning.outlineNamesDeepMax);
    if (members === undefined) return {};
    const known = handlerGroups.flatMap((group): [HandlerGroup, ReadonlySet<string>][] => {
      const at = members.get(group);
      const ids = at === undefined ? new Map<string, number>() : this.#membersAt(at, tuning.outlineNamesDeepMax);
      return ids === undefined ? [] : [[group, new Set(ids.keys())]];
    });
    return Object.fromEntries(known);
  }

  /** esbuild writes the exports of the entry as `{default:()=>name}`. */
  #defaultExport(): number | undefined {
    const index = this.#tokens.findIndex(
      ({ text }, place) => text === 'default' && [':', '(', ')', '=', '>'].every((sign, step) => this.#isSign(place + 1 + step, sign)),
    );
    return index < 0 ? undefined : index + 6;
  }

  /** The members of the object literal that the expression at `index` is: where the value of each begins. */
  #membersAt(index: number, namesLeft: number): Map<string, number> | undefined {
    const token = this.#tokens[index];
    if (token === undefined || namesLeft === 0) return undefined;
    if (token.kind === 'name') {
      if (/^defineTool(?:Behavior)?\d*$/.test(token.text) && this.#isSign(index + 1, '(')) {
        const { partner } = this.#tokens[index + 1] as Token;
        return this.#endsAt(partner + 1) ? this.#membersAt(index + 2, namesLeft - 1) : undefined;
      }
      const value = this.#values.get(token.text) ?? -1;
      // Declared, and used here: nothing else can have changed it.
      return value > 0 && this.#uses.get(token.text) === 2 && this.#endsAt(index + 1) ? this.#membersAt(value, namesLeft - 1) : undefined;
    }
    return token.text === '{' && token.kind === 'sign' && this.#endsAt(token.partner + 1) ? this.#literal(index, namesLeft) : undefined;
  }

  #literal(open: number, namesLeft: number): Map<string, number> | undefined {
    const members = new Map<string, number>();
    const end = (this.#tokens[open] as Token).partner;
    let index = open + 1;
    while (index < end) {
      if (this.#isSign(index, '.') && this.#isSign(index + 1, '.') && this.#isSign(index + 2, '.')) {
        const spread = this.#membersAt(index + 3, namesLeft - 1);
        if (spread === undefined) return undefined;
        for (const [name, place] of spread) members.set(name, place);
        index += 3;
      } else {
        const { kind, text } = this.#tokens[index] as Token;
        if (kind !== 'name' && kind !== 'text' && kind !== 'number') return undefined;
        const next = this.#tokens[index + 1]?.text ?? '';
        // `get x(){}` and `async x(){}` are not what a handler is.
        if (![':', ',', '}', '('].includes(next)) return undefined;
        members.set(text, next === ':' ? index + 2 : index);
      }
      while (index < end && !this.#isSign(index, ',')) index = this.#past(index);
      index += 1;
    }
    return members;
  }

  #past(index: number): number {
    const { partner } = this.#tokens[index] as Token;
    return partner < 0 ? index + 1 : partner + 1;
  }
  /** Whether an expression is over there. */
  #endsAt(index: number): boolean {
    return [',', ';', ')', '}', ']'].some((sign) => this.#isSign(index, sign));
  }
  #isSign(index: number, sign: string): boolean {
    const token = this.#tokens[index];
    return token?.kind === 'sign' && token.text === sign;
  }
}
