// Who can be written to beside the mailboxes: people outside, one by one or a whole domain (`*@brand.example`).
import { domainOf, withoutRepeats } from './addresses.js';
import type { ContactRow, Context, Person } from './model.js';
import { rowsWhere } from './rows.js';

export function contactAt(context: Context, address: string): Readonly<ContactRow> | undefined {
  return context.state.get('contacts', address) ?? context.state.get('contacts', `*@${domainOf(address)}`);
}

/** Somebody as the directory knows them. */
export function personAt(context: Context, address: string): Person {
  return { address, name: context.state.get('mailboxes', address)?.name ?? context.state.get('contacts', address)?.name ?? null };
}

/** The address book: mailboxes and people outside, by address. How mail to them fares is not in it. */
export function searchContacts(
  input: { readonly text?: string; readonly limit?: number },
  context: Context,
): { items: { address: string; name: string; internal: boolean }[] } {
  const entries = [
    ...rowsWhere(context, 'mailboxes', () => true).map(({ address, name }) => ({ address, name, internal: true })),
    ...rowsWhere(context, 'contacts', ({ address }) => !address.startsWith('*')).map(({ address, name }) => ({
      address,
      name,
      internal: false,
    })),
  ];
  const words = (input.text ?? '').toLowerCase().split(/\s+/);
  const found = withoutRepeats(entries).filter(({ address, name }) =>
    words.every((word) => `${name} ${address}`.toLowerCase().includes(word)),
  );
  return { items: found.sort((a, b) => (a.address < b.address ? -1 : 1)).slice(0, input.limit ?? 25) };
}
