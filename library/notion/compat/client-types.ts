// The types of the vendor's client as the judge of responses: a value of JSON is held against a type that @notionhq/client exports, as its
// declarations say, so the judge follows the version of the client.
import { createRequire } from 'node:module';
import ts from 'typescript';

type Findings = string[];

/** `check(value, name)`: where the value is not what the exported type `name` says. Members that the type does not have are let be. */
export function openClientTypes(packageName: string): (value: unknown, name: string) => Findings {
  // The index exports a part of the types; those of the endpoints are all beside it.
  const entry = createRequire(import.meta.url)
    .resolve(packageName)
    .replace(/index\.js$/, 'api-endpoints.d.ts');
  const program = ts.createProgram([entry], { strict: true, skipLibCheck: true, types: [], noEmit: true });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  const exported = new Map((module === undefined ? [] : checker.getExportsOfModule(module)).map((symbol) => [symbol.name, symbol]));
  return (value, name) => {
    const symbol = exported.get(name);
    if (symbol === undefined) return [`${packageName} exports no type ${name}`];
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return differences(checker, value, checker.getDeclaredTypeOfSymbol(target), name);
  };
}

function differences(checker: ts.TypeChecker, value: unknown, type: ts.Type, path: string): Findings {
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [];
  if (type.isUnion()) return ofUnion(checker, value, type, path);
  const wanted = checker.typeToString(type);
  const unlike = [`${path} is ${JSON.stringify(value)?.slice(0, 80)}, not ${wanted}`];
  if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value ? [] : unlike;
  if (type.flags & ts.TypeFlags.BooleanLiteral) return String(value) === wanted ? [] : unlike;
  if (type.flags & ts.TypeFlags.Null) return value === null ? [] : unlike;
  if (type.flags & ts.TypeFlags.Undefined) return value === undefined ? [] : unlike;
  if (type.flags & ts.TypeFlags.String) return typeof value === 'string' ? [] : unlike;
  if (type.flags & ts.TypeFlags.Number) return typeof value === 'number' ? [] : unlike;
  if (type.flags & ts.TypeFlags.Never) return unlike;
  if (typeof value !== 'object' || value === null) return unlike;
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference);
    if (!Array.isArray(value) || item === undefined) return unlike;
    return value.flatMap((one, index) => differences(checker, one, item, `${path}[${index}]`));
  }
  return Array.isArray(value) ? unlike : ofObject(checker, value as Record<string, unknown>, type, path);
}

function ofObject(checker: ts.TypeChecker, value: Record<string, unknown>, type: ts.Type, path: string): Findings {
  const properties = checker.getPropertiesOfType(type);
  const found = properties.flatMap((property) => {
    const member = value[property.name];
    if (member === undefined && property.flags & ts.SymbolFlags.Optional) return [];
    return differences(checker, member, checker.getTypeOfSymbol(property), `${path}.${property.name}`);
  });
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
  if (index === undefined) return found;
  const others = Object.entries(value).filter(([name]) => !properties.some((property) => property.name === name));
  return [...found, ...others.flatMap(([name, member]) => differences(checker, member, index.type, `${path}.${name}`))];
}

/** Of the members that a value might be, the one that it comes nearest to says what is wrong. */
function ofUnion(checker: ts.TypeChecker, value: unknown, type: ts.UnionType, path: string): Findings {
  let nearest: Findings | undefined;
  for (const member of type.types) {
    const found = differences(checker, value, member, path);
    if (found.length === 0) return [];
    if (nearest === undefined || found.length < nearest.length) nearest = found;
  }
  return nearest ?? [`${path} is of no type`];
}
