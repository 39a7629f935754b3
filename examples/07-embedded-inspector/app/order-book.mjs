// The shop's own orders, in the application's memory. No simulated tool knows them: this is why the agent cannot be a file that a run starts.
const orders = new Map([
  ['4711', { id: '4711', state: 'shipped' }],
  ['4712', { id: '4712', state: 'cancelled' }],
  ['4713', { id: '4713', state: 'packing' }],
]);

export const stateOfOrder = (orderId) => orders.get(orderId)?.state;
