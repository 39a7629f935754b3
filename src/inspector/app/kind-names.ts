// What the kinds of entries are called in the app, in the order in which they are listed.
import type { EvidenceKind } from '../../contract/evidence.js';

export const kindNames: { readonly [Kind in EvidenceKind]: string } = {
  operation: 'call',
  state_change: 'state',
  event: 'event',
  callback: 'callback',
  fault: 'fault',
  fault_control: 'fault switch',
  random: 'random',
  clock: 'clock',
  verification: 'check',
  lifecycle: 'lifecycle',
};

export const kindOrder = Object.keys(kindNames) as EvidenceKind[];
