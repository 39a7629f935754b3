// Transfer encodings (RFC 2045 6): what is sent through a way of seven bits and short lines.
import { bytesOfBase64, bytesOfLatin, utf8Bytes } from './bytes.js';

const lineCharsMax = 76;

/** Text as UTF-8, its lines ended by CRLF, no line longer than 76 characters. */
export function quotedPrintable(text: string): string {
  return text
    .split(/\r\n|\n/)
    .map((line) => softLines([...utf8Bytes(line)].map((byte, index, all) => quoted(byte, index === all.length - 1))))
    .join('\r\n');
}

function quoted(byte: number, isLast: boolean): string {
  const isBlank = byte === 9 || byte === 32;
  const isPlain = isBlank ? !isLast : byte > 32 && byte < 127 && byte !== 61;
  return isPlain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function softLines(tokens: readonly string[]): string {
  const lines: string[] = [];
  let line = '';
  for (const token of tokens) {
    if (line.length + token.length >= lineCharsMax) {
      lines.push(`${line}=`);
      line = '';
    }
    line += token;
  }
  return [...lines, line].join('\r\n');
}

/** Base64 in lines. */
export function lined(base64: string): string {
  return base64.match(/.{1,76}/g)?.join('\r\n') ?? '';
}

/** What was encoded: `content` has a character a byte. Undefined where it is not what its encoding says, or that is unknown. */
export function decodedBytes(content: string, encoding: string): Uint8Array | undefined {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
      return bytesOfLatin(content);
    case 'base64':
      return bytesOfBase64(content.replace(/\s+/g, ''));
    case 'quoted-printable':
      return unquoted(content);
    default:
      return undefined;
  }
}

function unquoted(content: string): Uint8Array | undefined {
  // Blanks before the end of a line came on the way.
  const joined = content.split('\n').map(withoutTail).join('\r\n').replace(/=\r\n/g, '');
  if (/=(?![0-9A-Fa-f]{2})/.test(joined)) return undefined;
  return bytesOfLatin(joined.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))));
}

/** Not trimEnd: to it some bytes above ASCII are blanks too. */
function withoutTail(line: string): string {
  let end = line.length;
  while (end > 0 && ' \t\r'.includes(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}
