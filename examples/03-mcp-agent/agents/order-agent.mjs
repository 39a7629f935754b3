// An agent that knows MCP and nothing of Drillyard: it takes its tools from a server, charges the orders it is given, waits until the money
// has settled, and pays it out. One invocation on stdin, one JSON value on stdout.
import { connect } from './connect.mjs';

const { task, virtualTimeUs } = JSON.parse(await text(process.stdin));
const { orders, payOutAfterUs } = task.input;
const { client, tools } = await connect();
console.error(`${tools.size} tools: ${[...tools.keys()].join(', ')}`);

const charges = [];
for (const order of orders) charges.push(await charge(order));
await use('world_wait', { untilUs: virtualTimeUs + payOutAfterUs });
const [balance] = (await use('payments_balance_get', { currency: 'eur' })).items;
const payout = await use('payments_payout_create', { currency: 'eur', amount: balance.available }, 'payout of the week');
await client.close();
console.log(JSON.stringify({ charges, paidOut: payout.amount }));

async function charge({ orderId, customerId, amount, card }) {
  const args = { customerId, amount, currency: 'eur', token: card, description: `Order ${orderId}`, metadata: { orderId } };
  // The order is what must be charged once, so the order is the key.
  const { id, status, failure } = await use('payments_charge_create', args, `charge of order ${orderId}`);
  return { orderId, chargeId: id, status, ...(failure === null ? {} : { reason: failure.code }) };
}

/** The value of a call. What may be asked again is asked again, under the same key. */
async function use(name, args, idempotencyKey) {
  if (!tools.has(name)) throw new Error(`there is no tool ${name}`);
  for (let tries = 1; ; tries++) {
    const result = await client.callTool({
      name,
      arguments: args,
      ...(idempotencyKey === undefined ? {} : { _meta: { 'drillyard/idempotencyKey': idempotencyKey } }),
    });
    if (!result.isError) return result.structuredContent;
    const { kind, error } = JSON.parse(result.content[0].text);
    console.error(`${name}: ${kind} ${error.code}: ${error.message}`);
    if (!error.retryable || tries === 5) throw new Error(`${name}: ${error.code}`);
  }
}

async function text(stream) {
  let all = '';
  for await (const chunk of stream.setEncoding('utf8')) all += chunk;
  return all;
}
