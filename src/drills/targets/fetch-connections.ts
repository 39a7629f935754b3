// What `fetch` leaves in a thread: the first request makes a dispatcher, under a global name, which keeps connections open.
//   FETCH-CONNECTIONS-1. Node's own dispatcher is replaced by a new one, and its connections are closed; any other is the agent's change.

/** The global name under which Node, and the package undici, have it. */
const place = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  constructor: new (options?: object) => Dispatcher;
  destroy(): Promise<void>;
}

/** Closes what no request uses any more. */
export async function closeFetchConnections(): Promise<void> {
  const dispatcher = currentDispatcher();
  if (dispatcher === undefined || !isOfNode(dispatcher)) return;
  Reflect.set(globalThis, place, new dispatcher.constructor());
  await dispatcher.destroy();
}

/** Names that are no trace of an agent. */
export function isFetchName(name: string | symbol): boolean {
  if (name !== place) return false;
  const dispatcher = currentDispatcher();
  return dispatcher === undefined || isOfNode(dispatcher);
}

const currentDispatcher = (): Dispatcher | undefined => Reflect.get(globalThis, place) as Dispatcher | undefined;

/** Where a class comes from is only in the stack of what its constructor throws. */
function isOfNode({ constructor: Kind }: Dispatcher): boolean {
  try {
    new Kind({ factory: 'none' });
  } catch (error) {
    return error instanceof Error && /^ +at new \w+ \(node:internal\//m.test(error.stack?.split('\n', 2)[1] ?? '');
  }
  return false;
}
