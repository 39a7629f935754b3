// What tool code has beside ECMAScript: pure, and the same on every host. Evaluated inside the realm (realm-script.ts).
import { atob, btoa } from './base64.js';
import { URLSearchParams } from './search-params.js';
import { structuredClone } from './structured-clone.js';
import { TextDecoder, TextEncoder } from './text-codec.js';
import { URL } from './url.js';

export const addedGlobals: { readonly [name: string]: unknown } = {
  URL,
  URLSearchParams,
  TextEncoder,
  TextDecoder,
  atob,
  btoa,
  structuredClone,
};
