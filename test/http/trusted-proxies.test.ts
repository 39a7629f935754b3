// Who a request comes from: the proxies that are trusted say it, and what anybody else writes into a header changes nothing.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import { plainAddress, standardHops } from '../../src/http/client-address.js';
import { ConnectionCount } from '../../src/http/connection-count.js';
import type { HttpHandler, HttpServer } from '../../src/http/server.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { StrangerRate } from '../../src/http/stranger-rate.js';
import { behindProxies, subnetOf, TrustedProxies } from '../../src/http/trusted-proxies.js';
import fc from '../fast-check.js';
import { engines } from './fake-control.js';

const servers: HttpServer[] = [];
after(async () => {
  await Promise.all(servers.map((server) => server.close()));
});
type Headers = { [name: string]: string };

async function start(
  engine: HttpServer['engine'],
  handler: HttpHandler,
  host = '127.0.0.1',
): Promise<(headers?: Headers) => Promise<string>> {
  const server = await startHttpServer({ host, port: 0, engine, handler, closeGraceMs: 100 });
  servers.push(server);
  const url = `http://${host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${server.port}/`;
  return async (headers = {}) => {
    const reply = await fetch(url, { headers });
    const text = await reply.text();
    if (reply.status === 200) return text;
    assert.ok(validateErrorEnvelope(JSON.parse(text)).ok, text);
    return String(reply.status);
  };
}
const tellAddress: HttpHandler = ({ address }) => ({ status: 200, body: address });
const custom = (value: string): Headers => ({ 'x-forwarded-for': value });
const standard = (value: string): Headers => ({ forwarded: value });

for (const engine of engines) {
  // TRUSTED-PROXIES-1, TRUSTED-PROXIES-2
  test(`${engine}: behind a trusted proxy the client is the nearest sender that is none, and what stands before it decides nothing`, async () => {
    const ask = await start(engine, behindProxies(new TrustedProxies(['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48']), tellAddress));
    const cases: [string, Headers][] = [
      ['127.0.0.1', {}],
      ['203.0.113.7', custom('203.0.113.7')],
      ['203.0.113.7', custom('6.6.6.6, 203.0.113.7')],
      ['203.0.113.7', custom('6.6.6.6, 203.0.113.7,10.1.2.3 , 10.9.9.9')],
      ['203.0.113.7', custom('not an address, "for=, 203.0.113.7')],
      // All of them are proxies: the first is the client.
      ['10.0.0.9', custom('10.0.0.9, 10.1.2.3')],
      ['203.0.113.7', custom('203.0.113.7:4711')],
      ['203.0.113.7', custom('::ffff:203.0.113.7')],
      ['2001:db8::7', custom('2001:0DB8:0::0007')],
      ['2001:db8::7', custom('6.6.6.6, [2001:db8::7]:443, 2001:db8:ffff::1')],
      // A proxy that hides its sender is the client itself.
      ['127.0.0.1', custom('6.6.6.6, unknown')],
      ['10.1.2.3', custom('6.6.6.6, 203.0.113, 10.1.2.3')],
      ['127.0.0.1', custom('')],
      ['203.0.113.7', standard('for=203.0.113.7')],
      ['203.0.113.7', standard('for=6.6.6.6;proto=http;by=10.1.2.3, For="203.0.113.7:1";host="a,b;c=\\"d"')],
      ['2001:db8::7', standard('for=6.6.6.6, for="[2001:db8::7]:_port" , for=10.1.2.3')],
      ['127.0.0.1', standard('for=6.6.6.6, for=_hidden')],
      ['127.0.0.1', standard('for=6.6.6.6, proto=https')],
      ['203.0.113.7', standard('for=203.0.113.7, ,')],
      ['203.0.113.7', { ...custom('9.9.9.9, 203.0.113.7'), ...standard('for=6.6.6.6, for=203.0.113.7') }],
    ];
    for (const [address, headers] of cases) assert.equal(await ask(headers), address, JSON.stringify(headers));
  });

  // TRUSTED-PROXIES-3
  test(`${engine}: what a trusted proxy says in two ways, or in no right one, is refused in the envelope`, async () => {
    const ask = await start(engine, behindProxies(new TrustedProxies(['127.0.0.1']), tellAddress));
    const refused: Headers[] = [
      { ...custom('203.0.113.7'), ...standard('for=6.6.6.6') },
      { ...custom('203.0.113.7'), ...standard('') },
      // Each would swallow what the proxy has appended.
      standard('for="6.6.6.6, for=203.0.113.7'),
      standard('for=6.6.6.6;x=", for="[2001:db8::7]"'),
      standard('for=6.6.6.6;x="\\", for="[2001:db8::7]"'),
      standard('for=6.6.6.6;for=203.0.113.7'),
      standard('for 203.0.113.7'),
      standard('203.0.113.7'),
      standard('for=2001:db8::7'),
    ];
    for (const headers of refused) assert.equal(await ask(headers), '400', JSON.stringify(headers));
    const hops = (many: number): Headers => custom(['6.6.6.6', ...Array.from({ length: many }, () => '127.0.0.1')].join(','));
    assert.deepEqual([await ask(hops(limits.forwardedHopsMax - 1)), await ask(hops(limits.forwardedHopsMax))], ['6.6.6.6', '127.0.0.1']);
  });

  test(`${engine}: nobody else is believed, and of a repeated header the last line counts`, async () => {
    const alone = await start(engine, tellAddress);
    const stranger = await start(engine, behindProxies(new TrustedProxies(['10.0.0.0/8', '::1']), tellAddress));
    for (const headers of [
      custom('203.0.113.7'),
      standard('for=203.0.113.7'),
      standard('for="'),
      { ...custom('1.2.3.4'), ...standard('for=6.6.6.6') },
    ])
      assert.deepEqual([await alone(headers), await stranger(headers)], ['127.0.0.1', '127.0.0.1']);
    await start(engine, behindProxies(new TrustedProxies(['127.0.0.1']), tellAddress));
    const { port } = servers.at(-1) as HttpServer;
    const text = await new Promise<string>((resolve, reject) => {
      let all = '';
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\nx-forwarded-for: 203.0.113.7\r\nConnection: close\r\n\r\n');
      });
      socket.setEncoding('latin1').on('data', (piece: string) => {
        all += piece;
        if (all.endsWith('\r\n\r\n203.0.113.7')) socket.end(() => resolve(all));
      });
      socket.on('close', () => resolve(all)).on('error', reject);
    });
    assert.match(text, /\r\n\r\n203\.0\.113\.7$/);
  });

  test(`${engine}: an IPv4 client of a socket for all addresses has its own address, and a proxy is known by it`, async () => {
    const ask = await start(engine, behindProxies(new TrustedProxies(['127.0.0.1']), tellAddress), '::');
    assert.deepEqual([await ask(), await ask(custom('203.0.113.7'))], ['127.0.0.1', '203.0.113.7']);
  });

  test(`${engine}: strangers behind a proxy have a rate each`, async () => {
    const strangers = new StrangerRate(() => 0, { perSecond: 1, burst: 1 });
    const refuse: HttpHandler = () => ({ status: 401, headers: {}, body: '{}' });
    const server = await startHttpServer({
      ...{ host: '127.0.0.1', port: 0, engine, closeGraceMs: 100 },
      handler: behindProxies(new TrustedProxies(['127.0.0.1']), strangers.bound(refuse)),
    });
    servers.push(server);
    const ask = async (client: string) => (await fetch(`http://127.0.0.1:${server.port}/`, { headers: custom(client) })).status;
    assert.deepEqual([await ask('203.0.113.7'), await ask('203.0.113.7'), await ask('203.0.113.8')], [401, 429, 401]);
    assert.equal(await ask('203.0.113.8, 203.0.113.7'), 429, 'another name before its own is no other client');
    const sixes = ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8:0:1::1', '::5', '::1:2:3:4:5', '::1:2:3:4', '::1:2:3:4:5:6:7'];
    const statuses: number[] = [];
    for (const client of sixes) statuses.push(await ask(client));
    assert.deepEqual(statuses, [401, 429, 401, 401, 401, 429, 401], 'of IPv6 the first 64 bits count');
  });
}

test('connections of a proxy are bounded in all, and not by its address', () => {
  const count = new ConnectionCount({ connectionsMax: 4, connectionsPerAddressMax: 1, isProxy: new TrustedProxies(['10.0.0.0/8']).has });
  assert.deepEqual(
    [count.add('10.0.0.1'), count.add('10.0.0.1'), count.add('203.0.113.7'), count.add('203.0.113.7')],
    [true, true, true, false],
  );
  assert.equal(count.add('10.0.0.1'), false);
  const network = new ConnectionCount({ connectionsPerAddressMax: 1 });
  assert.deepEqual([network.add('2001:db8::1'), network.add('2001:db8::2'), network.add('2001:db8:0:1::')], [true, false, true]);
  network.remove('2001:db8::1');
  network.remove('2001:db8::2');
  assert.equal(network.add('2001:db8::3'), true);
});

test('a proxy is an address or a block of them, and never everybody', () => {
  const taken = ['10.0.0.7', '10.0.0.0/8', '2001:db8::/32', '::1', '127.0.0.1/32'];
  for (const text of taken) assert.ok(subnetOf(text) !== undefined, text);
  const refused = [
    '',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0',
    'localhost',
    '10.0.0.0/-1',
    'fe80::1%eth0',
    '10.0.0.1 ',
  ];
  for (const text of refused) {
    assert.equal(subnetOf(text), undefined, text);
    assert.throws(() => new TrustedProxies([text]), { code: 'control.INVALID_REQUEST' });
  }
  const spellings = ['0000:0000:0000:0000:0000:0000:0000:0001', '::1%lo', '0000:0000:0000:0000:0000:ffff:7f00:0001', 'nothing'];
  assert.deepEqual(spellings.map(plainAddress), ['::1', '::1', '127.0.0.1', '']);
});

/** Of each part of a Forwarded header: blanks on both sides of a pair that may not be there. */
const partByPattern = (() => {
  const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
  return new RegExp(`[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*([;,]|$)`, 'y');
})();
function isForwarded(header: string): boolean {
  partByPattern.lastIndex = 0;
  for (;;) {
    const found = partByPattern.exec(header);
    if (found === null || found[4] === '') return found !== null;
  }
}

test('a Forwarded header is well-formed where the pattern of its parts says so, in as many steps as it has characters', () => {
  const header = fc.string({ unit: fc.constantFrom('a', '=', '"', '\\', ' ', '\t', ';', ',', '[', 'by=1'), maxLength: 16 });
  fc.assert(
    fc.property(header, (text) => {
      if (isForwarded(text)) assert.ok(Array.isArray(standardHops(text)));
      else assert.throws(() => standardHops(text), { code: 'control.INVALID_REQUEST' });
    }),
    { numRuns: 5000 },
  );
  const blanks = ' '.repeat(limits.headerBytesMax);
  assert.deepEqual(standardHops(`for=1.2.3.4${blanks};${blanks},${blanks}for=5.6.7.8${blanks}`), ['1.2.3.4', '5.6.7.8']);
  for (let times = 0; times < 2000; times++)
    for (const broken of [`${blanks}[`, `for=1.2.3.4${blanks}[`, `for=1.2.3.4;${blanks}"`])
      assert.throws(() => standardHops(broken), { code: 'control.INVALID_REQUEST' });
});
