// Relations have two sides: what one page is related to, and, of a dual relation, what the other page shows of it.
import { notFound } from './failures.js';
import type { Context, DataSource, Json, Members, Page, Property, PropertyRow } from './model.js';
import { shortId } from './rows.js';
import { requireDataSource } from './tree.js';

/** Every page that the values name must be one of the related data source. */
export function checkRelations(context: Context, properties: readonly Property[], values: { readonly [id: string]: Json }): void {
  for (const { id, type, config } of properties) {
    if (type !== 'relation' || values[id] === undefined) continue;
    for (const related of values[id] as readonly string[]) {
      const { parent } = context.state.get('pages', related) ?? notFound('page', related);
      if (parent.type !== 'data_source_id' || parent.data_source_id !== config.data_source_id) notFound('page', related);
    }
  }
}

/** Writes the other side of what has changed from one version of a page to the next. */
export function mirror(
  context: Context,
  properties: readonly Property[],
  { before, after }: { before: Page | undefined; after: Page },
): void {
  for (const property of properties) {
    const other = otherSide(property);
    if (property.type !== 'relation' || other === undefined) continue;
    const [old, now] = [before, after].map((page) => (page?.values[property.id] ?? []) as readonly string[]) as [
      readonly string[],
      readonly string[],
    ];
    for (const id of old.filter((one) => !now.includes(one))) setSide(context, id, other, (ids) => ids.filter((one) => one !== after.id));
    for (const id of now.filter((one) => !old.includes(one)))
      setSide(context, id, other, (ids) => [...ids.filter((one) => one !== after.id), after.id]);
  }
}

const otherSide = ({ config }: Property): string | undefined =>
  config.type === 'dual_property' ? String((config.dual_property as Members).synced_property_id) : undefined;

function setSide(context: Context, pageId: string, propertyId: string, change: (ids: readonly string[]) => string[]): void {
  const page = context.state.get('pages', pageId);
  if (page === undefined) return;
  const ids = change((page.values[propertyId] ?? []) as readonly string[]);
  context.state.put('pages', pageId, { ...page, values: { ...page.values, [propertyId]: ids } });
}

/** Gives each dual relation that has no other side one, in the data source that it leads to. */
export function completeDuals(context: Context, sourceId: string): void {
  for (const property of requireDataSource(context, sourceId).properties) {
    if (property.type !== 'relation' || otherSide(property) !== '') continue;
    const source = requireDataSource(context, sourceId);
    const target = requireDataSource(context, String(property.config.data_source_id));
    const other = sideOf(context, { source, target, property });
    context.state.put('data_sources', target.id, { ...target, properties: [...target.properties, other] });
    const dual = { synced_property_id: other.id, synced_property_name: other.name };
    const present = requireDataSource(context, sourceId);
    const properties = present.properties.map((one) =>
      one.id === property.id ? { ...one, config: { ...one.config, dual_property: dual } } : one,
    );
    context.state.put('data_sources', sourceId, { ...present, properties });
  }
}

function sideOf(
  context: Context,
  { source, target, property }: { source: DataSource; target: DataSource; property: Property },
): PropertyRow {
  const names = new Set(target.properties.map(({ name }) => name));
  const wished = String((property.config.dual_property as Members).synced_property_name) || `Related to ${property.name}`;
  let name = wished;
  for (let number = 1; names.has(name); number += 1) name = `${wished} (${number})`;
  const id = shortId(context, new Set([...target.properties, ...source.properties].map((one) => one.id)));
  const dual_property = { synced_property_id: property.id, synced_property_name: property.name };
  return { id, name, type: 'relation', description: null, config: { data_source_id: source.id, type: 'dual_property', dual_property } };
}
