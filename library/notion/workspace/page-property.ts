// One property of a page: a single item, or a list in pages for those that may be long.
import { notFound, text, uuid } from './failures.js';
import type { Context, Json, Members } from './model.js';
import { type PageInput, pageOf } from './rows.js';
import { propertyNamed } from './schema.js';
import { propertiesOf, shownValue } from './shown-values.js';
import { requirePage } from './tree.js';

const listedTypes = new Set(['title', 'rich_text', 'people', 'relation']);

export function retrieveProperty(input: PageInput & { readonly page_id: string; readonly property_id: string }, context: Context): Json {
  const page = requirePage(context, uuid(input.page_id, 'path.page_id'));
  const key = text(input.property_id, 'property_id');
  const property = propertyNamed(propertiesOf(context, page), key) ?? notFound('property', key);
  const { id, type } = property;
  const value = shownValue(context, page, property);
  const isRolledList = type === 'rollup' && (value as Members).type === 'array';
  if (!listedTypes.has(type) && !isRolledList) return { object: 'property_item', type, id, [type]: value };
  const rows = isRolledList ? ((value as Members).array as readonly Json[]) : (value as readonly Json[]);
  const listing = pageOf(rows, input, (_, index) => `${id}-${index}`);
  const results = listing.items.map((item) =>
    isRolledList ? { object: 'property_item', id, ...(item as Members) } : { object: 'property_item', type, id, [type]: item },
  );
  const whole = isRolledList ? { ...(value as Members), array: [] } : {};
  return {
    object: 'list',
    results,
    next_cursor: listing.next_cursor,
    has_more: listing.has_more,
    type: 'property_item',
    property_item: { id, type, next_url: null, [type]: whole },
  };
}
