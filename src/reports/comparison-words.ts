// What a comparison says, in words: one wording for the terminal and the page.
import type { ComparedMember, ComparedRow, RunComparison, RunDifference } from '../contract/hosted/runs.js';
import type { JsonValue } from '../contract/json.js';
import { pathText } from '../contract/json-diff.js';
import { counted } from '../text/counted.js';
import { virtualClock, virtualDuration } from '../text/virtual-time.js';
import { visibleLine } from '../text/visible-text.js';
import { place } from './entry-text.js';
import { statusText } from './words.js';

export const gradeWords: { [Grade in RunComparison['grade']]: { title: string; text: string } } = {
  exact_inputs: { title: 'Equal inputs', text: 'Setup, tools, target, task and seed are the same: what differs came from the agent.' },
  descriptive_only: { title: 'Different inputs', text: 'What differs may come from the inputs as well as from the agent.' },
  incompatible: { title: 'Not comparable', text: 'Runs of different drills in different setups: there is nothing to align.' },
};

const inputNames: { [name: string]: string } = {
  drillId: 'Drill',
  targetId: 'Target',
  targetHash: 'Target as declared',
  packageLockHash: 'Tools',
  setupHash: 'Setup',
  tasks: 'Task',
  seed: 'Seed',
  trial: 'Trial',
  attempt: 'Attempt',
  scenarioId: 'Scenario',
  startedAtVirtualUs: 'Start',
  maxToolCalls: 'Budget of calls',
  maxEvents: 'Budget of events',
  bindings: 'Bindings',
};
export function inputName(name: string): string {
  return inputNames[name] ?? name;
}

/** `sha256:0638316803645df9…` says nothing; where it begins is enough to tell two apart. */
export function inputText(name: string, value: JsonValue): string {
  if (name === 'startedAtVirtualUs' && typeof value === 'number') return virtualClock(value);
  if (typeof value !== 'string') return value === null ? 'none' : JSON.stringify(value);
  return value.startsWith('sha256:') ? value.slice('sha256:'.length, 'sha256:'.length + 12) : value;
}

export function lacksText({ side, name }: NonNullable<RunComparison['lacks']>[number]): string {
  return `The ${side} report does not say "${inputName(name).toLowerCase()}": an earlier version made it, and the builds differ.`;
}

const countNames: { [name: string]: string } = {
  'entries.operation': 'Calls',
  'entries.state_change': 'State changes',
  'entries.event': 'Events',
  'entries.callback': 'Callback deliveries, entries',
  'entries.fault': 'Faults',
  'entries.fault_control': 'Switches of faults',
  'entries.random': 'Random draws',
  'entries.clock': 'Moves of the clock',
  'entries.lifecycle': 'Lifecycle entries',
  'entries.verification': 'Checks',
  'entries.refused_request': 'Refused requests',
  'operations.ok': 'Calls that succeeded',
  'operations.denied': 'Calls that were denied',
  'operations.tool_error': 'Calls with an error of the tool',
  'operations.unsupported': 'Calls that are not supported',
  'operations.invalid': 'Calls with invalid arguments',
  'stateChanges.insert': 'Rows inserted',
  'stateChanges.update': 'Rows updated',
  'stateChanges.delete': 'Rows deleted',
  interactions: 'Interactions',
  virtualUs: 'Virtual time',
  'toolCalls.attempted': 'Budgeted calls',
  'toolCalls.rejected': 'Calls beyond the budget',
  'scheduledEvents.processed': 'Scheduled events that fired',
};
export function countName(name: string): string {
  const phase = /^events\.(.+)$/.exec(name)?.[1];
  return countNames[name] ?? (phase === undefined ? name : `Events ${phase}`);
}
export function countText(name: string, count: number): string {
  return name === 'virtualUs' ? virtualDuration(count) : count.toLocaleString('en-US');
}
/** `+1`, `−2 h`; empty where there is none. */
export function countDelta(name: string, delta: number): string {
  return delta === 0 ? '' : `${delta > 0 ? '+' : '−'}${countText(name, Math.abs(delta))}`;
}

const entryMembers: [path: string[], name: string][] = [
  [['invocation', 'idempotencyKey'], 'idempotency key'],
  [['invocation', 'arguments'], 'argument'],
  [['invocation', 'operationId'], 'operation'],
  [['invocation', 'packageId'], 'tool'],
  [['invocation', 'instanceId'], 'instance'],
  [['outcome', 'kind'], 'outcome'],
  [['outcome', 'value'], 'answer'],
  [['outcome', 'error'], 'error'],
  [['committedOutcome', 'value'], 'lost answer'],
  [['idempotency'], 'idempotency'],
  [['replayedFromSequence'], 'replayed from'],
  [['actorId'], 'actor'],
  [['virtualTimeUs'], 'virtual time'],
];
/** `idempotency key`, `argument amount`, `answer id`; of what has no name of its own the path. */
export function memberName(path: ComparedMember['path']): string {
  return entryMemberName(path) ?? (path.length === 0 ? 'all of it' : pathText(path));
}
export function entryMemberName(path: ComparedMember['path']): string | undefined {
  for (const [prefix, name] of entryMembers) {
    if (!prefix.every((step, index) => path[index] === step)) continue;
    const rest = path.slice(prefix.length);
    return rest.length === 0 ? name : `${name} ${pathText(rest)}`;
  }
  return undefined;
}
/** Both values, never in the same words. */
export function memberTexts({ path, left, right, isCut }: ComparedMember): [left: string, right: string] {
  // What was cut is a text already, in quotes where it needs them.
  if (isCut) return [plainText(left), plainText(right)];
  const [one, other] = [ownWords(path, left), ownWords(path, right)];
  return one === undefined || other === undefined || one === other ? valueTexts(left, right) : [one, other];
}

const plainText = (value: JsonValue | undefined): string =>
  value === undefined ? absent : typeof value === 'string' ? value : JSON.stringify(value);

/** Of what is no plain value. */
function ownWords([name, ...inside]: ComparedMember['path'], value: JsonValue | undefined): string | undefined {
  if (inside.length > 0 || value === undefined) return undefined;
  if (name === 'virtualTimeUs' && typeof value === 'number') return virtualClock(value);
  if (name === 'replayedFromSequence' && typeof value === 'number') return `#${value}`;
  return name === 'idempotency' && typeof value === 'string' ? statusText(value) : undefined;
}

const absent = 'absent';

/** A text stands without quotes where it can be taken for nothing else. */
export function valueTexts(left: JsonValue | undefined, right: JsonValue | undefined): [left: string, right: string] {
  const plain: [string, string] = [plainText(left), plainText(right)];
  const isPlain =
    (left === undefined || right === undefined || kindOf(left) === kindOf(right)) &&
    visibleLine(plain[0]) !== visibleLine(plain[1]) &&
    [left, right].every((value) => typeof value !== 'string' || (value !== '' && value === value.trim()));
  const text = (value: JsonValue | undefined): string => (value === undefined ? absent : JSON.stringify(value));
  return isPlain ? plain : [text(left), text(right)];
}

const kindOf = (value: JsonValue): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** What asks first: keys, then arguments, then what came of it. */
export function orderedMembers(members: readonly ComparedMember[]): ComparedMember[] {
  return [...members].sort((left, right) => rank(left) - rank(right));
}

const rank = ({ path }: ComparedMember): number => {
  const at = entryMembers.findIndex(([prefix]) => prefix.every((step, index) => path[index] === step));
  return at < 0 ? entryMembers.length : at;
};

/** The first of them in that order, and of each part of an entry its share: many arguments hide no answer. */
export function firstMembers(members: readonly ComparedMember[], countMax: number): ComparedMember[] {
  const ordered = orderedMembers(members);
  const parts = new Map<number, ComparedMember[]>();
  for (const member of ordered) parts.set(rank(member), [...(parts.get(rank(member)) ?? []), member]);
  const taken = new Set<ComparedMember>();
  for (let turn = 0; taken.size < Math.min(countMax, ordered.length); turn++) {
    for (const part of parts.values()) if (turn < part.length && taken.size < countMax) taken.add(part[turn]!);
  }
  return ordered.filter((member) => taken.has(member));
}

/** Empty where there are none. The evidence of such runs differs, and nothing else of them does. */
export function otherKeysText(calls = 0): string {
  return calls === 0
    ? ''
    : `Of those that are the same, ${counted(calls, 'call')} had ${calls === 1 ? 'another idempotency key' : 'other idempotency keys'}.`;
}

export function rowText({ namespace, rowId, ...owner }: ComparedRow): string {
  return `${place(owner)}/${namespace}/${rowId}`;
}

export const differenceWords: { [Kind in RunDifference['kind']]: string } = {
  only_left: 'only left',
  only_right: 'only right',
  changed: 'changed',
  moved: 'moved',
};
