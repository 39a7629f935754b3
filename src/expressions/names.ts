// What an expression can name, independent of what shows it a run.

export const expressionVariables = ['state', 'operations', 'events', 'outputs', 'clock'] as const;
export type ExpressionVariable = (typeof expressionVariables)[number];
