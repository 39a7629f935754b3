/** Methods that requests are known to have (RFC 9110 9.3, RFC 5789). */
export const knownMethods: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']);
