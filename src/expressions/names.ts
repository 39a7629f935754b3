// What an expression can name, whoever shows it a run.

export const expressionVariables = ['state', 'operations', 'events', 'outputs', 'clock'] as const;
export type ExpressionVariable = (typeof expressionVariables)[number];
