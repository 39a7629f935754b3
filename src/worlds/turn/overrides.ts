// Tool overrides of one world, by scope: run > drill > scenario > world. Inside a scope the later rule comes first, the same id in a higher
// scope replaces the lower one, and a rule used up (`times`) lets the next one answer. Uses survive a rollback.
import { canonicalJson } from '../../contract/canonical-json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json.js';
import type { ActorName } from '../../contract/world/persona.js';
import type { OverrideScope, ToolOverride, WorldSetup } from '../../contract/world/scenario.js';
import type { CounterEntries, Counters } from './counters.js';

export interface OverridableCall extends ActorName {
  packageId: string;
  instanceId: string;
  operationId: string;
  arguments: JsonValue;
}
export interface ScopedRule {
  readonly scope: OverrideScope;
  readonly rule: ToolOverride;
}

const scopes: readonly OverrideScope[] = ['run', 'drill', 'scenario', 'world'];

export class Overrides {
  readonly #setup: WorldSetup['toolOverrides'];
  readonly #counters: Counters;
  #inForce: readonly ScopedRule[] | undefined;

  constructor(setup: WorldSetup, counters: Counters) {
    this.#setup = setup.toolOverrides;
    this.#counters = counters;
  }

  get isEmpty(): boolean {
    this.#inForce ??= this.#order();
    return this.#inForce.length === 0;
  }

  /** The rule that answers this call, counted as used. */
  take(call: OverridableCall): ScopedRule | undefined {
    if (this.isEmpty) return undefined;
    for (const scoped of this.#inForce as readonly ScopedRule[]) {
      const { scope, rule } = scoped;
      if (!matches(rule, call)) continue;
      if (rule.times === undefined) return scoped;
      const key = usesKey(scope, rule.id);
      const uses = (this.#counters.get(key) as number | undefined) ?? 0;
      if (uses >= rule.times) continue;
      this.#counters.set(key, uses + 1);
      return scoped;
    }
    return undefined;
  }

  /** In place of what the scope had until now, in the setup too; its uses count from zero. */
  set(scope: 'run' | 'drill', rules: readonly ToolOverride[]): void {
    this.#counters.removeWhere((key) => key.startsWith(usesKey(scope, '')));
    this.#counters.set(rulesKey(scope), rules as unknown as JsonValue);
    this.#inForce = undefined;
  }

  /** Uses of the rules for the package's operations as they were in earlier counters. */
  restoreUses(packageId: string, origin: CounterEntries): void {
    this.#inForce ??= this.#order();
    const keys = new Set(
      this.#inForce.filter(({ rule }) => rule.operation.packageId === packageId).map(({ scope, rule }) => usesKey(scope, rule.id)),
    );
    this.#counters.restoreWhere((key) => keys.has(key), origin);
  }

  #order(): ScopedRule[] {
    const seen = new Set<string>();
    const ordered: ScopedRule[] = [];
    for (const scope of scopes) {
      for (const rule of this.#rulesOf(scope).toReversed()) {
        if (seen.has(rule.id)) continue;
        seen.add(rule.id);
        ordered.push({ scope, rule });
      }
    }
    return ordered;
  }
  #rulesOf(scope: OverrideScope): readonly ToolOverride[] {
    const set = this.#counters.get(rulesKey(scope)) as unknown as ToolOverride[] | undefined;
    return set ?? this.#setup.filter((entry) => entry.scope === scope).flatMap(({ rules }) => rules);
  }
}

const usesKey = (scope: string, id: string): string => `override-uses ${scope} ${id}`;
const rulesKey = (scope: string): string => `override-rules ${scope}`;

function matches({ operation, when = {} }: ToolOverride, call: OverridableCall): boolean {
  if (operation.operationId !== call.operationId || operation.packageId !== call.packageId) return false;
  if ((operation.instanceId ?? call.instanceId) !== call.instanceId) return false;
  if ((when.actorId ?? call.actorId) !== call.actorId) return false;
  if (when.actorInstanceId !== undefined && when.actorInstanceId !== call.actorInstanceId) return false;
  return when.arguments === undefined || hasMembers(call.arguments, when.arguments);
}

function hasMembers(value: JsonValue, wanted: JsonObject): boolean {
  if (!isJsonObject(value)) return Object.keys(wanted).length === 0;
  return Object.entries(wanted).every(
    ([name, member]) => Object.hasOwn(value, name) && canonicalJson(value[name] as JsonValue) === canonicalJson(member),
  );
}
