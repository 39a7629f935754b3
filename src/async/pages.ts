// Lists that are read a page at a time: each page names what to ask for next, and the last one names nothing.

export interface PageWalk<Page, Cursor> {
  /** Where to begin. Default: undefined, which `ask` takes for the beginning. */
  first?: Cursor;
  /** Undefined: this was the last page. */
  next(page: NoInfer<Page>): Cursor | undefined;
}

/** A page is asked for when the one before has been taken up. */
export async function* walkPages<Page, Cursor>(
  { first, next }: PageWalk<Page, Cursor>,
  ask: (cursor: Cursor | undefined) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let cursor = first;
  do {
    const page: Page = await ask(cursor);
    yield page;
    cursor = next(page);
  } while (cursor !== undefined);
}

/** The same of a list that answers at once. */
export function* walkPagesSync<Page, Cursor>(
  { first, next }: PageWalk<Page, Cursor>,
  ask: (cursor: Cursor | undefined) => Page,
): Generator<Page, void> {
  let cursor = first;
  do {
    const page = ask(cursor);
    yield page;
    cursor = next(page);
  } while (cursor !== undefined);
}
