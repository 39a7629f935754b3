// People who answer: rows of `counterparts`. What an actor says, and a row matches, is answered after the row's delay.
import type { Channel, Context, Counterpart, Message } from './model.js';
import { rowsWhere } from './rows.js';

/** Each person answers a message by the first of its rows, by id, that matches and is not used up. */
export function scheduleAnswers(context: Context, channel: Channel, message: Message): void {
  const answering = new Set<string>();
  for (const rule of rowsWhere(context, 'counterparts', (row) => matches(row, channel, message))) {
    if (answering.has(rule.user)) continue;
    answering.add(rule.user);
    context.state.put('counterparts', rule.id, { ...rule, answered: rule.answered + 1 });
    const jitterUs = rule.jitter_us === 0 ? 0 : context.random.nextInteger(0, rule.jitter_us + 1);
    const due = { id: rule.id, channel: channel.id, ts: message.ts };
    context.events.scheduleAt('counterpart.due', due, context.clock.nowUs() + rule.delay_us + jitterUs);
  }
}

function matches(rule: Counterpart, channel: Channel, { user, text }: Message): boolean {
  if (rule.user === user || (rule.times !== null && rule.answered >= rule.times)) return false;
  if (!channel.members.includes(rule.user) || (rule.channel !== null && rule.channel !== channel.id)) return false;
  if (rule.when_addressed && channel.kind !== 'im' && !text.includes(`<@${rule.user}>`)) return false;
  return rule.contains === null || text.toLowerCase().includes(rule.contains.toLowerCase());
}
