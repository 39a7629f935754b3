// The URL of the PostgreSQL that the nodes of a cluster share.
//   CLUSTER-DATABASE-1. It says where the database is, and how it is reached. What a session of a node rests on, such as its name and its
//     time limits, it cannot change: a parameter that could is refused, and `options` are read before those of the node.

export interface DatabaseAddress {
  /** Without `options`. */
  url: string;
  /** As a session gives them to the server; may be empty. */
  options: string;
}

/** Of a URL, what it may say after `?`. The last three mean nothing to the client here, and are in the URLs that services hand out. */
export const databaseParameters: readonly string[] = [
  ...['host', 'port', 'options', 'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
  ...['channel_binding', 'connect_timeout', 'target_session_attrs'],
];

/** Of the client's modes these are all one: it checks the certificate and the name, and warns that this may change. */
const asVerifyFull: readonly (string | null)[] = ['prefer', 'require', 'verify-ca'];

/** Undefined for what names no database, or says what a node decides. */
export function databaseAddress(text: string): DatabaseAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!/^postgres(?:ql)?:$/.test(url.protocol)) return undefined;
  const given = url.searchParams;
  if ([...given.keys()].some((name) => !databaseParameters.includes(name))) return undefined;
  const options = given.getAll('options').join(' ');
  given.delete('options');
  if (!given.has('uselibpqcompat') && asVerifyFull.includes(given.get('sslmode'))) given.set('sslmode', 'verify-full');
  return { url: url.href, options };
}
