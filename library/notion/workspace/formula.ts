// Formulas: a small part of Notion's language. What is not in it is refused when the property is made, so no formula guesses.
import { invalid } from './failures.js';
import { asText, callFunction, compare, equal, formulaFunctions, truth, type Value } from './formula-functions.js';
import type { Property } from './model.js';

type Node =
  | { kind: 'value'; value: Value }
  | { kind: 'property'; name: string }
  | { kind: 'call'; name: string; args: Node[] }
  | { kind: 'binary'; operator: string; left: Node; right: Node };

interface Token {
  kind: 'number' | 'text' | 'word' | 'sign' | 'end';
  text: string;
}

const tokenShape = /\s*(?:(\d+(?:\.\d+)?)|"((?:[^"\\]|\\.)*)"|([A-Za-z_][A-Za-z0-9_]*)|(==|!=|>=|<=|&&|\|\||[-+*/%^<>!?:(),.]))/y;
const levels: readonly (readonly string[])[] = [
  ['or', '||'],
  ['and', '&&'],
  ['==', '!='],
  ['>', '<', '>=', '<='],
  ['+', '-'],
  ['*', '/', '%'],
];
const depthMax = 60;

/** Ends the call unless the formula can be computed over these properties. */
export function checkFormula(expression: string, properties: readonly Property[]): string {
  const refuse = (why: string): never => invalid(`The formula is not supported: ${why}.`);
  const visit = (node: Node): void => {
    if (node.kind === 'property' && !properties.some(({ name }) => name === node.name)) refuse(`there is no property ${node.name}`);
    if (node.kind === 'call') node.args.forEach(visit);
    if (node.kind === 'binary') [node.left, node.right].forEach(visit);
  };
  visit(parse(expression, refuse));
  return expression;
}

export function evaluate(expression: string, { read, nowUs }: { read: (name: string) => Value; nowUs: number }): Value {
  const run = (node: Node): Value => {
    if (node.kind === 'value') return node.value;
    if (node.kind === 'property') return read(node.name);
    if (node.kind === 'call')
      return callFunction(
        node.name,
        node.args.map((arg) => () => run(arg)),
        nowUs,
      );
    return operate(
      node.operator,
      () => run(node.left),
      () => run(node.right),
    );
  };
  return run(parse(expression, (why) => invalid(`The formula is not supported: ${why}.`)));
}

function operate(operator: string, left: () => Value, right: () => Value): Value {
  if (operator === 'or') return truth(left()) || truth(right());
  if (operator === 'and') return truth(left()) && truth(right());
  const [a, b] = [left(), right()];
  if (operator === '==') return equal(a, b);
  if (operator === '!=') return !equal(a, b);
  if (operator === '+' && !(typeof a === 'number' && typeof b === 'number')) return asText(a) + asText(b);
  if ('<>='.includes(operator[0] as string)) {
    const order = compare(a, b);
    if (order === undefined) return null;
    return operator === '<' ? order < 0 : operator === '<=' ? order <= 0 : operator === '>' ? order > 0 : order >= 0;
  }
  if (typeof a !== 'number' || typeof b !== 'number') return null;
  const result = operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : operator === '/' ? a / b : a % b;
  return Number.isFinite(result) ? result : null;
}

function tokensOf(source: string, refuse: (why: string) => never): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (source.slice(at).trim() !== '') {
    tokenShape.lastIndex = at;
    const found = tokenShape.exec(source);
    if (found === null) return refuse(`what is at ${at}`);
    const [, number, quoted, word, sign] = found;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c)) });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else tokens.push({ kind: 'sign', text: sign as string });
    at = tokenShape.lastIndex;
  }
  return [...tokens, { kind: 'end', text: 'its end' }];
}

function parse(source: string, refuse: (why: string) => never): Node {
  const tokens = tokensOf(source, refuse);
  let at = 0;
  let depth = 0;
  const peek = (): Token => tokens[at] as Token;
  const isNext = (text: string): boolean => peek().kind !== 'text' && peek().kind !== 'end' && peek().text === text;
  const take = (text: string): boolean => {
    if (!isNext(text)) return false;
    at += 1;
    return true;
  };
  const expect = (text: string): void => {
    if (!take(text)) refuse(`${peek().text} where ${text} is wanted`);
  };

  const ternary = (): Node => {
    depth += 1;
    if (depth > depthMax) return refuse('it is too deep');
    const condition = level(0);
    let node = condition;
    if (take('?')) {
      const yes = ternary();
      expect(':');
      node = { kind: 'call', name: 'if', args: [condition, yes, ternary()] };
    }
    depth -= 1;
    return node;
  };
  const level = (index: number): Node => {
    const operators = levels[index];
    if (operators === undefined) return unary();
    let left = level(index + 1);
    for (let operator = operators.find(isNext); operator !== undefined; operator = operators.find(isNext)) {
      at += 1;
      const name = operator === '||' ? 'or' : operator === '&&' ? 'and' : operator;
      left = { kind: 'binary', operator: name, left, right: level(index + 1) };
    }
    return left;
  };
  const unary = (): Node => {
    if (take('!') || take('not')) return { kind: 'call', name: 'not', args: [unary()] };
    if (take('-')) return { kind: 'binary', operator: '-', left: { kind: 'value', value: 0 }, right: unary() };
    let node = primary();
    while (take('.')) node = called(word(), [node]);
    return node;
  };
  const word = (): string => {
    const token = peek();
    if (token.kind !== 'word') return refuse(`${token.text} where a name is wanted`);
    at += 1;
    return token.text;
  };
  const called = (name: string, first: Node[]): Node => {
    expect('(');
    const args = [...first];
    while (!isNext(')')) {
      args.push(ternary());
      if (!take(',')) break;
    }
    expect(')');
    if (name === 'prop') {
      const [arg] = args;
      return arg?.kind === 'value' && typeof arg.value === 'string'
        ? { kind: 'property', name: arg.value }
        : refuse('prop of what is no text');
    }
    const bounds = formulaFunctions.get(name);
    if (bounds === undefined) return refuse(`the function ${name}`);
    if (args.length < bounds[0] || args.length > bounds[1]) return refuse(`${args.length} arguments of ${name}`);
    return { kind: 'call', name, args };
  };
  const primary = (): Node => {
    const token = peek();
    if (token.kind === 'number') return skip({ kind: 'value', value: Number(token.text) });
    if (token.kind === 'text') return skip({ kind: 'value', value: token.text });
    if (take('(')) {
      const inner = ternary();
      expect(')');
      return inner;
    }
    if (take('true')) return { kind: 'value', value: true };
    if (take('false')) return { kind: 'value', value: false };
    return called(word(), []);
  };
  const skip = (node: Node): Node => {
    at += 1;
    return node;
  };

  const root = ternary();
  return peek().kind === 'end' ? root : refuse(`${peek().text} after the formula`);
}
