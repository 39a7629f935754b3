// Works on an issue that a customer's payment caused: labels it, gives the money back, tells support, writes it down, and closes it.
import { pathToFileURL } from 'node:url';
import { connect } from './services.mjs';

/** `refund`: how a refund is made; returns it. */
export async function triage({ github, slack, stripe, notion }, { owner, repo, issue: issue_number }, refund) {
  const at = { owner, repo, issue_number };
  const { data: issue } = await github.rest.issues.get(at);
  const { order, paymentIntent, amount } = readIssue(issue.body);
  await github.rest.issues.addLabels({ ...at, labels: ['bug', 'customer'] });

  const payment = await stripe.paymentIntents.retrieve(paymentIntent);
  if (payment.metadata.order_id !== order) throw new Error(`${paymentIntent} is not of order ${order}`);
  const { id } = await refund(stripe, { payment_intent: paymentIntent, amount, reason: 'requested_by_customer' }, `issue-${issue_number}`);
  const what = `Order ${order}: ${(amount / 100).toFixed(2)} ${payment.currency.toUpperCase()} refunded (${id}).`;

  const page = await writeDown(notion, what, issue.title);
  await slack.chat.postMessage({ channel: await channelOf(slack, 'support'), text: `${what} ${page}` });
  await github.rest.issues.createComment({ ...at, body: what });
  await github.rest.issues.update({ ...at, state: 'closed', state_reason: 'completed' });
  return { refund: id, page };
}

/** A model would read this; what it has to find is the same. */
function readIssue(body) {
  const order = /Order (\d+)/.exec(body)?.[1];
  const paymentIntent = /\bpi_\w+/.exec(body)?.[0];
  const price = /and (\d+\.\d\d) of it is shipping/.exec(body)?.[1];
  if (!order || !paymentIntent || !price) throw new Error('The issue names no order, payment and amount.');
  return { order, paymentIntent, amount: Math.round(Number(price) * 100) };
}

async function writeDown(notion, what, title) {
  const { results } = await notion.search({ query: 'Incidents', filter: { property: 'object', value: 'page' } });
  const incidents = results[0];
  if (incidents === undefined) throw new Error('There is no page of incidents.');
  const page = await notion.pages.create({
    parent: { page_id: incidents.id },
    properties: { title: { title: [{ text: { content: title } }] } },
    children: [{ object: 'block', type: 'paragraph', paragraph: { rich_text: [{ text: { content: what } }] } }],
  });
  return page.url;
}

async function channelOf(slack, name) {
  for await (const { channels } of slack.paginate('conversations.list', { limit: 100, exclude_archived: true })) {
    const found = channels.find((channel) => channel.name === name);
    if (found !== undefined) return found.id;
  }
  throw new Error(`There is no channel ${name}.`);
}

/** One refund for one issue, however often it is asked for: the client asks again with the same key where an answer is lost. */
const refundOnce = (stripe, refund, idempotencyKey) => stripe.refunds.create(refund, { idempotencyKey, maxNetworkRetries: 2 });

/** One invocation on stdin, one JSON value on stdout. */
export async function main(refund) {
  let text = '';
  for await (const piece of process.stdin) text += piece;
  const result = await triage(connect(), JSON.parse(text).task.input, refund);
  // Stripe's client leaves the connection open whose answer it did not take, and the process would wait for its end.
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(refundOnce);
