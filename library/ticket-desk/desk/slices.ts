// Parts of lists by their place, for APIs that page so: a list that only grows at its end gives each item once.
export interface Slice {
  readonly offset?: number;
  readonly limit?: number;
}

const defaultLimit = 100;

export function sliceOf<Item>(items: readonly Item[], { offset = 0, limit = defaultLimit }: Slice): { items: Item[]; total: number } {
  return { items: items.slice(offset, offset + limit), total: items.length };
}
