// Certificates for tests: an authority made on the spot, and what it says of a name. X.509 (RFC 5280) in as much DER as that takes.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  cert: string;
  key: string;
}
export interface Authority {
  cert: string;
  /** A certificate for a DNS name, from 2020 until the end of a year. */
  issue(name: string, until?: number): Certificate;
}

export function createAuthority(): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let serial = 1;
  const certify = (subject: string, { key, extension, until }: { key: KeyObject; extension: Buffer; until: number }): string => {
    const extensions = der(0xa3, der(0x30, extension));
    const validity = der(0x30, text(0x17, '200101000000Z'), text(0x17, `${until % 100}1231235959Z`));
    const version = der(0xa0, der(0x02, Buffer.from([2])));
    const signed = der(
      0x30,
      version,
      der(0x02, Buffer.from([++serial])),
      ecdsa,
      named('A test'),
      validity,
      named(subject),
      spki(key),
      extensions,
    );
    const certificate = der(0x30, signed, ecdsa, der(0x03, Buffer.from([0]), sign('sha256', signed, own.privateKey)));
    return `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  };
  const isAuthority = extensionOf('551d13', der(0x30, der(0x01, Buffer.from([0xff]))));
  return {
    cert: certify('A test', { key: own.publicKey, extension: isAuthority, until: 2049 }),
    issue: (name, until = 2049) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const cert = certify(name, { key: publicKey, extension: extensionOf('551d11', der(0x30, text(0x82, name))), until });
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
    },
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const ecdsa = der(0x30, oid('2a8648ce3d040302'));
const named = (name: string): Buffer => der(0x30, der(0x31, der(0x30, oid('550403'), text(0x0c, name))));
const extensionOf = (id: string, value: Buffer): Buffer => der(0x30, oid(id), der(0x04, value));
const spki = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
