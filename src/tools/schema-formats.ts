// Formats of strings. None takes more than time linear in the text: those of ajv-formats that are not proven to be so are written again
// where they can be, and elsewhere asked of short texts only.
import type { Format } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { limits } from '../contract/limits.js';
import { type FormatCheck, loadAjv } from './ajv.js';

export function addFormats(ajv: Ajv2020): void {
  const { addFormats: formats } = loadAjv();
  formats(ajv);
  ajv.addFormat('email', email);
  for (const name of shortFormats) {
    ajv.addFormat(name, { type: 'string', validate: shortOnly(formats.get(name)) });
  }
  for (const [name, simple] of Object.entries(references)) {
    const isOf = shortOnly(formats.get(name));
    ajv.addFormat(name, { type: 'string', validate: (text: string) => (text.includes('[') ? isOf(text) : simple.test(text)) });
  }
  // Formats of the standard that ajv-formats leaves out: annotations only.
  const unchecked: Format = { type: 'string', validate: () => true };
  for (const name of ['idn-email', 'idn-hostname', 'iri', 'iri-reference']) ajv.addFormat(name, unchecked);
}

function shortOnly(format: FormatCheck): (text: string) => boolean {
  return (text) => text.length <= limits.formatCharsMax && (typeof format === 'function' ? format(text) : format.test(text));
}

/** The same texts as those of ajv-formats, in whose email a label of the host can be read in many ways. */
export const email =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)+$/i;

/**
 * Of references without an address in brackets, where an IPv4 address is a name like any other. `marks`: ajv-formats takes one more in one.
 */
function referenceParts(marks: string): { scheme: string; rest: string; ending: string } {
  const one = (more: string) => `(?:[a-z0-9\\-._~!$&'()*+,;=${more}]|%[0-9a-f]{2})`;
  const [user, name, letter, after] = [one(':'), one(marks), one(`${marks}:@`), one(`${marks}:@/?`)];
  const authority = `\\/?\\/(?:${user}*@)?${name}*(?::\\d*)?(?:\\/${letter}*)*`;
  return {
    scheme: '[a-z][a-z0-9+\\-.]*:',
    rest: `(?:${authority}|\\/(?:${letter}+(?:\\/${letter}*)*)?|${letter}+(?:\\/${letter}*)*)`,
    ending: `(?:\\?${after}*)?(?:#${after}*)?`,
  };
}
const whole = referenceParts('');
const relative = referenceParts('"');
export const references: { readonly [name: string]: RegExp } = {
  uri: new RegExp(`^${whole.scheme}${whole.rest}${whole.ending}$`, 'i'),
  'uri-reference': new RegExp(`^(?:${relative.scheme})?${relative.rest}?${relative.ending}$`, 'i'),
};

/** Host names and addresses have far fewer characters in any case. */
export const shortFormats = ['duration', 'hostname', 'ipv4', 'ipv6', 'url', 'regex'] as const;
