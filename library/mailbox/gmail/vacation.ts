// The vacation responder as Gmail has it: times in milliseconds, as text.
import type { JsonValue } from 'drillyard/tool-sdk';
import type { Vacation } from '../mail/model.js';
import { invalid, unsupported } from './failures.js';
import type { Fields } from './request.js';

export function gmailVacation({ enabled, subject, body, contactsOnly, fromUs, untilUs }: Vacation): { [name: string]: JsonValue } {
  return {
    enableAutoReply: enabled,
    ...(subject === null ? {} : { responseSubject: subject }),
    responseBodyPlainText: body,
    restrictToContacts: contactsOnly,
    restrictToDomain: false,
    ...(fromUs === null ? {} : { startTime: String(Math.floor(fromUs / 1000)) }),
    ...(untilUs === null ? {} : { endTime: String(Math.floor(untilUs / 1000)) }),
  };
}

/** The whole setting: what is left out is off, or empty. */
export function vacationOf(body: Fields): Fields {
  const { enableAutoReply, responseSubject, responseBodyPlainText, responseBodyHtml, restrictToContacts, restrictToDomain } = body;
  if (typeof responseBodyHtml === 'string' && responseBodyHtml !== '') throw unsupported('The responder answers in plain text.');
  if (restrictToDomain === true) throw unsupported('The responder does not ask for the domain.');
  return {
    enabled: enableAutoReply ?? false,
    subject: responseSubject === '' ? null : (responseSubject ?? null),
    body: responseBodyPlainText ?? '',
    contactsOnly: restrictToContacts ?? false,
    fromUs: timeIn(body.startTime, 'start_time'),
    untilUs: timeIn(body.endTime, 'end_time'),
  };
}

function timeIn(value: JsonValue | undefined, name: string): number | null {
  if (value === undefined || value === null) return null;
  if (!/^[0-9]{1,13}$/.test(String(value))) throw invalid(`Invalid value at 'vacation_settings.${name}'`);
  return Number(value) * 1000;
}
