// `URL` as tool code has it: the URL Standard, with host names in ASCII. Evaluated inside the realm (realm-script.ts).
import { linkedParams, replacePairs, type URLSearchParams } from './search-params.js';
import { parsePart, parseUrl } from './url-parser.js';
import { encodeSets, hostText, originText, pathText, percentEncode, type UrlRecord, urlText } from './url-record.js';

function recordOf(text: unknown, base: unknown): UrlRecord | undefined {
  const below = base === undefined ? undefined : parseUrl(String(base));
  return base !== undefined && below === undefined ? undefined : parseUrl(String(text), below);
}

export class URL {
  #url: UrlRecord;
  #params: URLSearchParams | undefined;

  constructor(url: unknown, base?: unknown) {
    const record = recordOf(url, base);
    if (record === undefined) throw invalid();
    this.#url = record;
  }
  static canParse(url: unknown, base?: unknown): boolean {
    return recordOf(url, base) !== undefined;
  }
  static parse(url: unknown, base?: unknown): URL | null {
    return recordOf(url, base) === undefined ? null : new URL(url, base);
  }
  get [Symbol.toStringTag](): string {
    return 'URL';
  }
  toString(): string {
    return this.href;
  }
  toJSON(): string {
    return this.href;
  }

  get href(): string {
    return urlText(this.#url);
  }
  set href(value: unknown) {
    const record = parseUrl(String(value));
    if (record === undefined) throw invalid();
    this.#url = record;
    this.#queryChanged();
  }
  get origin(): string {
    if (this.#url.scheme !== 'blob') return originText(this.#url);
    const inner = parseUrl(pathText(this.#url));
    return inner !== undefined && /^https?$/.test(inner.scheme) ? originText(inner) : 'null';
  }
  get protocol(): string {
    return `${this.#url.scheme}:`;
  }
  set protocol(value: unknown) {
    parsePart(`${String(value)}:`, this.#url, 'schemeStart');
  }
  get username(): string {
    return this.#url.username;
  }
  set username(value: unknown) {
    if (this.#takesLogin()) this.#url.username = percentEncode(String(value), encodeSets.userinfo);
  }
  get password(): string {
    return this.#url.password;
  }
  set password(value: unknown) {
    if (this.#takesLogin()) this.#url.password = percentEncode(String(value), encodeSets.userinfo);
  }
  get host(): string {
    return hostText(this.#url);
  }
  set host(value: unknown) {
    if (typeof this.#url.path !== 'string') parsePart(String(value), this.#url, 'host');
  }
  get hostname(): string {
    return this.#url.host ?? '';
  }
  set hostname(value: unknown) {
    if (typeof this.#url.path !== 'string') parsePart(String(value), this.#url, 'hostname');
  }
  get port(): string {
    return this.#url.port === null ? '' : String(this.#url.port);
  }
  set port(value: unknown) {
    if (!this.#takesLogin()) return;
    const text = String(value);
    if (text === '') this.#url.port = null;
    else parsePart(text, this.#url, 'port');
  }
  get pathname(): string {
    return pathText(this.#url);
  }
  set pathname(value: unknown) {
    if (typeof this.#url.path === 'string') return;
    this.#url.path = [];
    parsePart(String(value), this.#url, 'pathStart');
  }
  get search(): string {
    return this.#url.query ? `?${this.#url.query}` : '';
  }
  set search(value: unknown) {
    const text = String(value).replace(/^\?/, '');
    this.#url.query = text === '' ? null : '';
    if (text !== '') parsePart(text, this.#url, 'query');
    this.#queryChanged();
  }
  get searchParams(): URLSearchParams {
    this.#params ??= linkedParams(this.#url.query ?? '', (query) => {
      this.#url.query = query === '' ? null : query;
    });
    return this.#params;
  }
  get hash(): string {
    return this.#url.fragment ? `#${this.#url.fragment}` : '';
  }
  set hash(value: unknown) {
    const text = String(value).replace(/^#/, '');
    this.#url.fragment = text === '' ? null : '';
    if (text !== '') parsePart(text, this.#url, 'fragment');
  }

  #takesLogin(): boolean {
    return this.#url.host !== null && this.#url.host !== '' && this.#url.scheme !== 'file';
  }
  #queryChanged(): void {
    if (this.#params !== undefined) replacePairs(this.#params, this.#url.query ?? '');
  }
}

function invalid(): TypeError {
  const error = new TypeError('Invalid URL');
  Object.defineProperty(error, 'code', { value: 'ERR_INVALID_URL', enumerable: true, configurable: true, writable: true });
  return error;
}
