// The id of an invocation, where nothing else of reports is wanted.

const pattern = /^inv_[0-9a-z]{26}$/;

export function isInvocationId(value: string): boolean {
  return pattern.test(value);
}
