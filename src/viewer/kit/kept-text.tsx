// What the browser keeps for a page: for this tab, or for all that come later. It may keep nothing, as where the data of all sites is
// blocked, in a frame without an origin, or on a page from disk: then the page works all the same, and remembers nothing.
// To name it is refused already.
const keepers = { sessionStorage: () => sessionStorage, localStorage: () => localStorage };
type Keeper = keyof typeof keepers;

export function keptText(keeper: Keeper, key: string): string | undefined {
  try {
    return keepers[keeper]().getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** `undefined`: nothing from now on. */
export function keepText(keeper: Keeper, key: string, text: string | undefined): void {
  try {
    if (text === undefined) keepers[keeper]().removeItem(key);
    else keepers[keeper]().setItem(key, text);
  } catch {
    // It lasts as long as the page.
  }
}
