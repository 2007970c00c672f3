import { isNode, nameOf, type Statement, within } from './syntax.ts';

/** The names at the top of a chunk that stand for one thing from their declaration on: nothing else is put into them. */
export function lastingNames(statements: readonly Statement[]): Set<string> {
  const times = new Map<string, number>();
  for (const { name, use } of statements.flatMap(({ found }) => found)) {
    if (use === 'binding') times.set(name, (times.get(name) ?? 0) + 1);
  }
  const names = statements.flatMap(declared).filter((name) => name !== null);
  return new Set(names.filter((name) => times.get(name) === 1));
}

/** What a statement declares and gives a value at once. */
function declared({ node: { type, id, declarations } }: Statement): (string | null)[] {
  if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') return [nameOf(id)];
  if (type !== 'VariableDeclaration') return [];
  return within(declarations)
    .filter(({ init }) => isNode(init))
    .map(({ id }) => nameOf(id));
}
