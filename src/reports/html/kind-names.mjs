// What the kinds of entries are called for people, in the order in which they are listed. Runs in the report and in the inspector.

export const kindNames = {
  operation: 'call',
  state_change: 'state',
  event: 'event',
  callback: 'callback',
  fault: 'fault',
  fault_control: 'fault switch',
  random: 'random',
  clock: 'clock',
  lifecycle: 'lifecycle',
  verification: 'check',
};
