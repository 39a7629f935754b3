// A second world of the bank, written from docs/world-semantics.md with plain objects and sorted arrays, slow and obvious. Shares no code
// with src. It knows what the bank's handlers do (bank-build.ts), for it stands for the whole: rules and tool. Chance is left out.

export type Outcome = { kind: string; code?: string; balance?: number };
export interface ModelCall {
  operation: 'add' | 'pay' | 'later' | 'misbehave';
  account: string;
  amount: number;
  inUs: number;
  actor: 'clerk' | 'reader';
  instance: 'bank' | 'bank-two';
  key?: string;
  badArguments?: boolean;
}
export interface ModelRule {
  id: string;
  amount?: number;
  balance: number;
  times?: number;
}
interface QueuedEvent {
  ordinal: number;
  atUs: number;
  account: string;
  amount: number;
  instance: string;
}
interface Fault {
  active: boolean;
  looks: number;
  fired: number;
}
interface State {
  nowUs: number;
  /** Instance -> account -> balance. */
  accounts: { [instance: string]: { [account: string]: number } };
  seen: { [instance: string]: { [account: string]: { count: number; last: number } } };
  queue: QueuedEvent[];
  nextOrdinal: number;
  receipts: { [key: string]: { arguments: string; outcome: Outcome } };
  faults: { [name: string]: Fault };
  rules: ModelRule[];
  uses: { [id: string]: number };
  attempted: number;
  rejected: number;
  processed: number;
}
export interface AdvanceView {
  status: string;
  reachedUs: number;
  processed: number;
  exhausted: boolean;
}

const beforeFaults = ['busy', 'busy-once', 'busy-third', 'busy-window'];
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export class ReferenceModel {
  readonly maxToolCalls: number;
  #origin: State;
  #state: State;
  #snapshots: State[] = [];
  /** What the state was when the journal first ended at each sequence. */
  #past = new Map<number, State>();

  constructor({ maxToolCalls, initial, faults }: { maxToolCalls: number; initial: { atUs: number; amount: number }[]; faults: string[] }) {
    this.maxToolCalls = maxToolCalls;
    const state: State = {
      nowUs: 500,
      accounts: { bank: { main: 100, other: 0 }, 'bank-two': {} },
      seen: { audit: {}, 'audit-two': { none: { count: 0, last: 0 } } },
      queue: [],
      nextOrdinal: 1,
      receipts: {},
      faults: {},
      rules: [],
      uses: {},
      attempted: 0,
      rejected: 0,
      processed: 0,
    };
    for (const { atUs, amount } of initial) enqueue(state, { atUs, amount, account: 'main', instance: 'bank' });
    for (const id of faults) state.faults[`bank ${id}`] = { active: true, looks: 0, fired: 0 };
    this.#state = state;
    this.#origin = copy(state);
  }

  get state(): Readonly<State> {
    return this.#state;
  }
  get snapshotCount(): number {
    return this.#snapshots.length;
  }
  get sequences(): number[] {
    return [...this.#past.keys()];
  }
  /** The journal of the world it stands for ends here now. What leaves no entry (rules) belongs to the next one. */
  journalEnds(sequence: number): void {
    if (!this.#past.has(sequence)) this.#past.set(sequence, copy(this.#state));
  }

  call(call: ModelCall): Outcome {
    const state = this.#state;
    if (call.actor === 'reader') return { kind: 'denied', code: 'NOT_GRANTED' };
    if (call.badArguments) return { kind: 'invalid', code: 'INVALID_ARGUMENTS' };
    if (call.operation === 'pay' && call.key === undefined) return { kind: 'invalid', code: 'IDEMPOTENCY_KEY_REQUIRED' };
    state.attempted++;
    if (state.attempted - state.rejected > this.maxToolCalls) {
      state.rejected++;
      return { kind: 'denied', code: 'TOOL_CALL_BUDGET_EXHAUSTED' };
    }
    const keyed = call.key !== undefined && call.operation !== 'later';
    const name = `${call.instance}/${call.operation}/${call.key}`;
    const given = call.operation === 'misbehave' ? 'throw' : `${call.account} ${call.amount}`;
    const known = keyed ? state.receipts[name] : undefined;
    if (known) return known.arguments === given ? known.outcome : { kind: 'invalid', code: 'IDEMPOTENCY_KEY_REUSED' };
    const { answer, committed } = this.#answer(call);
    const first = committed ?? answer;
    const decided = first.kind === 'ok' || first.code === 'TOO_MUCH';
    if (keyed && decided) state.receipts[name] = { arguments: given, outcome: first };
    return answer;
  }

  #answer(call: ModelCall): { answer: Outcome; committed?: Outcome } {
    const state = this.#state;
    const ruled = call.operation === 'add' && call.instance === 'bank' ? this.#rule(call.amount) : undefined;
    if (ruled !== undefined) return { answer: { kind: 'ok', balance: ruled } };
    const faulty = call.operation === 'add' || call.operation === 'pay';
    if (faulty && beforeFaults.some((id) => this.#fires(call.instance, id))) return { answer: { kind: 'tool_error', code: 'BUSY' } };
    const answer = this.#handle(call);
    if (!faulty) return { answer };
    if (this.#fires(call.instance, 'slow')) state.nowUs += 250;
    if (answer.kind === 'ok' && this.#fires(call.instance, 'lost'))
      return { answer: { kind: 'tool_error', code: 'BUSY' }, committed: answer };
    return { answer };
  }

  #handle({ operation, account, amount, inUs, instance }: ModelCall): Outcome {
    if (operation === 'misbehave') return { kind: 'tool_error', code: 'HANDLER_FAILED' };
    if (operation === 'later') {
      enqueue(this.#state, { atUs: Math.max(this.#state.nowUs, this.#state.nowUs + inUs), account, amount, instance });
      return { kind: 'ok' };
    }
    return this.#add(instance, account, amount);
  }

  #add(instance: string, account: string, amount: number): Outcome {
    const { accounts, seen } = this.#state;
    if (amount > 1000) return { kind: 'tool_error', code: 'TOO_MUCH' };
    const rows = accounts[instance]!;
    const balance = (rows[account] ?? 0) + amount;
    if (balance === 666 || balance < 0) return { kind: 'tool_error', code: 'HANDLER_FAILED' };
    rows[account] = balance;
    for (const audit of Object.values(seen)) audit[account] = { count: (audit[account]?.count ?? 0) + 1, last: balance };
    return { kind: 'ok', balance };
  }

  #fires(instance: string, id: string): boolean {
    const fault = this.#state.faults[`${instance} ${id}`];
    const { nowUs } = this.#state;
    if (!fault?.active || (id === 'busy-window' && (nowUs < 1000 || nowUs >= 2000))) return false;
    fault.looks++;
    const fires = (id !== 'busy-once' || fault.fired < 1) && (id !== 'busy-third' || fault.looks % 3 === 0);
    if (fires) fault.fired++;
    return fires;
  }

  #rule(amount: number): number | undefined {
    const { rules, uses } = this.#state;
    for (const rule of [...rules].reverse()) {
      if (rule.amount !== undefined && rule.amount !== amount) continue;
      if (rule.times !== undefined && (uses[rule.id] ?? 0) >= rule.times) continue;
      uses[rule.id] = (uses[rule.id] ?? 0) + 1;
      return rule.balance;
    }
    return undefined;
  }

  advance(targetUs: number, maxEvents: number): AdvanceView {
    const state = this.#state;
    let processed = 0;
    for (;;) {
      const head = state.queue[0];
      if (head === undefined || head.atUs > targetUs) break;
      if (processed === maxEvents) return { status: 'completed', reachedUs: state.nowUs, processed, exhausted: true };
      processed++;
      if (!this.#fireNext()) return { status: 'failed', reachedUs: state.nowUs, processed, exhausted: false };
    }
    state.nowUs = Math.max(state.nowUs, targetUs);
    return { status: 'completed', reachedUs: state.nowUs, processed, exhausted: false };
  }
  #fireNext(): boolean {
    const state = this.#state;
    const head = state.queue.shift() as QueuedEvent;
    state.nowUs = Math.max(state.nowUs, head.atUs);
    state.processed++;
    return this.#add(head.instance, head.account, head.amount).kind === 'ok';
  }
  /** A model of how it will be in the middle of an advance from here, when so many of its events have fired. */
  midAdvance(processed: number): ReferenceModel {
    const middle = new ReferenceModel({ maxToolCalls: this.maxToolCalls, initial: [], faults: [] });
    middle.#state = copy(this.#state);
    for (let fired = 0; fired < processed; fired++) middle.#fireNext();
    return middle;
  }
  nextEventUs(): number {
    return Math.max(this.#state.nowUs, this.#state.queue[0]?.atUs ?? this.#state.nowUs);
  }

  setFault(instance: string, id: string, active: boolean): boolean {
    const name = `${instance} ${id}`;
    const fault = this.#state.faults[name] ?? { active: false, looks: 0, fired: 0 };
    if (fault.active === active) return false;
    this.#state.faults[name] = active ? { active, looks: 0, fired: 0 } : { ...fault, active };
    return true;
  }
  setRules(rules: ModelRule[]): void {
    this.#state.rules = rules;
    this.#state.uses = {};
  }
  cancel(index: number): QueuedEvent | undefined {
    return this.#state.queue.splice(index, 1)[0];
  }

  snapshot(): void {
    this.#snapshots.push(copy(this.#state));
  }
  reset(snapshot?: number): void {
    this.#state = copy(snapshot === undefined ? this.#origin : (this.#snapshots[snapshot] as State));
    this.#past.clear();
  }
  resetPackage(packageId: 'bank' | 'audit'): void {
    const [state, origin] = [this.#state, copy(this.#origin)];
    if (packageId === 'audit') {
      state.seen = origin.seen;
      return;
    }
    state.accounts = origin.accounts;
    state.receipts = {};
    state.faults = origin.faults;
    state.uses = Object.fromEntries(Object.entries(origin.uses).filter(([id]) => state.rules.some((rule) => rule.id === id)));
    state.queue = [];
    for (const event of origin.queue) enqueue(state, { ...event, atUs: Math.max(event.atUs, state.nowUs) });
  }
  /** The model of a fork; `sequence`: as it was then. */
  fork(sequence?: number): ReferenceModel {
    const child = new ReferenceModel({ maxToolCalls: this.maxToolCalls, initial: [], faults: [] });
    const from = sequence === undefined ? this.#state : (this.#past.get(sequence) as State);
    child.#state = { ...copy(from), attempted: 0, rejected: 0, processed: 0 };
    child.#origin = copy(child.#state);
    return child;
  }
}

function enqueue(state: State, event: Omit<QueuedEvent, 'ordinal'>): void {
  state.queue.push({ ...event, ordinal: state.nextOrdinal++ });
  state.queue.sort((a, b) => a.atUs - b.atUs || a.ordinal - b.ordinal);
}
