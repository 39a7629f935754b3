// Answers that a page gets once they are let go: what is done meanwhile happens before it.
import type { Page } from 'playwright-core';
import { gate } from '../../gate.js';

export interface Held {
  /** How many requests have been sent. */
  count: () => number;
  /** Resolves when the server has answered one. */
  answered: Promise<void>;
  /** Lets the page have them, and resolves when it has. */
  release: () => Promise<void>;
}

interface HoldOptions {
  method?: string;
  /** So many go through before. */
  after?: number;
  /** So many are held at most. */
  most?: number;
}

/** The answers of requests to addresses like this: their path and what they ask for. */
export async function hold(
  page: Page,
  address: RegExp,
  { method = 'POST', after = 0, most = Number.POSITIVE_INFINITY }: HoldOptions = {},
): Promise<Held> {
  let count = 0;
  const [answered, released, delivered] = [gate(), gate(), gate()];
  await page.route(
    (url) => address.test(url.pathname + url.search),
    async (route) => {
      if (route.request().method() !== method) return route.fallback();
      count += 1;
      if (count <= after || count > after + most) return route.fallback();
      const response = await route.fetch();
      answered.open();
      await released.opened;
      await route.fulfill({ response });
      delivered.open();
    },
  );
  const release = async (): Promise<void> => {
    released.open();
    await delivered.opened;
    // What the page does with it comes before what it is asked next.
    await page.evaluate('new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve)))');
  };
  return { count: () => count, answered: answered.opened, release };
}
