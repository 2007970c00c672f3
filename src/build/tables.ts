import type { Plugin } from 'rolldown';
import { hasOwnCode } from './chunks.ts';
import { lastingNames } from './lasting-names.ts';
import { type Found, isNode, type Node, nameOf, type Statement, statementsOf, within } from './syntax.ts';

/** A constant of this many characters is worth a function that makes it. */
const least = 60;

/**
 * Has the tables of the program made when they are first named. A run names few of them, and all would be put together,
 * with every text in them, at every start. A table is a constant that is written out: nothing runs to make it, and what
 * it takes from other constants is taken to stay as it is.
 */
export function tablesWhenNamed(): Plugin {
  return {
    name: 'tables-when-named',
    renderChunk: (code, chunk) => (hasOwnCode(chunk) ? deferred(code) : null),
  };
}

interface Table {
  name: string;
  /** The declaration, and the value in it. */
  whole: Node;
  value: Node;
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Most chunks have none, and need not be parsed. */
const likely = /^const [\w$]+ = [[{]/m;

/** Where names are made up as the code runs, or have been taken, nothing can be said of them. */
const unclear = /\beval\(|\$(?:made|kept)\b/;

/** The code of a chunk with each of its tables in a function, which is called wherever the table was named. */
export function deferred(code: string): string {
  if (!likely.test(code) || unclear.test(code)) return code;
  const statements = statementsOf(code);
  const tables = tablesOf(statements);
  if (tables.size === 0) return code;
  const given = statements.flatMap((statement) => exportOf(statement, tables));
  const edits = [...[...tables.values()].flatMap((table) => heads(table)), ...given];
  for (const { node, found } of statements) {
    if (given.some(({ start }) => start === node.start)) continue;
    const uses = found.filter(({ name, use }) => use !== 'binding' && tables.has(name));
    edits.push(...uses.map(named));
  }
  return edited(code, edits);
}

/** The tables that nothing but functions, other tables and the names given to other chunks ask for. */
function tablesOf(statements: readonly Statement[]): Map<string, Table> {
  const lasting = lastingNames(statements);
  const tables = new Map(
    statements
      .flatMap((statement) => tableOf(statement, lasting))
      .filter(({ name }) => lasting.has(name))
      .map((table) => [table.name, table]),
  );
  for (let before = -1; before !== tables.size; ) {
    before = tables.size;
    const makers = new Set([...tables.values()].map(({ whole }) => whole));
    for (const statement of statements) {
      if (makers.has(statement.node) || exportOf(statement, tables).length > 0) continue;
      for (const { name, isLater } of statement.found) if (!isLater) tables.delete(name);
    }
  }
  return tables;
}

function tableOf({ node: statement }: Statement, lasting: ReadonlySet<string>): Table[] {
  if (statement.type !== 'VariableDeclaration' || statement.kind !== 'const') return [];
  const [declared, ...others] = within(statement.declarations);
  const name = nameOf(declared?.id);
  const value = declared?.init;
  if (others.length > 0 || name === null || !isNode(value) || value.end - value.start < least) return [];
  if (value.type !== 'ObjectExpression' && value.type !== 'ArrayExpression') return [];
  return isWritten(value, lasting) ? [{ name, whole: statement, value }] : [];
}

/** Whether a value is written out, of texts, numbers, functions and other lasting names: it is the same whenever it is made. */
function isWritten(node: Node, lasting: ReadonlySet<string>): boolean {
  const all = (...places: unknown[]) => places.flatMap(within).every((part) => isWritten(part, lasting));
  switch (node.type) {
    case 'Literal':
    case 'TemplateElement':
    case 'FunctionExpression':
      return true;
    case 'ArrowFunctionExpression':
      return !needsPlace(node);
    case 'Identifier':
      return lasting.has(nameOf(node) ?? '');
    case 'ObjectExpression':
      return all(node.properties);
    case 'ArrayExpression':
      return all(node.elements);
    case 'TemplateLiteral':
      return all(node.expressions);
    case 'Property':
      return all(node.value) && (node.computed !== true || all(node.key));
    case 'UnaryExpression':
      return node.operator !== 'delete' && all(node.argument);
    case 'SpreadElement':
      return all(node.argument);
    case 'BinaryExpression':
      return all(node.left, node.right);
    case 'MemberExpression':
      return node.computed !== true && all(node.object);
    default:
      return false;
  }
}

/** Whether an arrow has anything of the function that it stands in. */
function needsPlace(node: Node): boolean {
  if (node.type === 'ThisExpression' || nameOf(node) === 'arguments') return true;
  return Object.values(node).flatMap(within).some(needsPlace);
}

/** `exports.name = name;` of a table, as what asks for it when it is asked for. */
function exportOf({ node }: Statement, tables: ReadonlyMap<string, Table>): Edit[] {
  const { type, expression, start, end } = node;
  if (type !== 'ExpressionStatement' || !isNode(expression) || expression.type !== 'AssignmentExpression')
    return [];
  const { left, right, operator } = expression;
  if (!isNode(left) || left.type !== 'MemberExpression' || nameOf(left.object) !== 'exports') return [];
  if (operator !== '=' || left.computed === true) return [];
  const name = nameOf(right);
  const shown = nameOf(left.property);
  if (name === null || shown === null || !tables.has(name)) return [];
  const text = `Object.defineProperty(exports, "${shown}", { enumerable: true, get: ${made(name)} });`;
  return [{ start, end, text }];
}

const made = (name: string) => `${name}$made`;

/** `const name = value;` as a function that makes it once. */
function heads({ name, whole, value }: Table): Edit[] {
  const kept = `${name}$kept`;
  return [
    {
      start: whole.start,
      end: value.start,
      text: `var ${kept}; function ${made(name)}() { return ${kept} ??= `,
    },
    { start: value.end, end: whole.end, text: '; }' },
  ];
}

function named({ name, use, start, end }: Found): Edit {
  return { start, end, text: `${use === 'shorthand' ? `${name}: ` : ''}(${made(name)}())` };
}

function edited(code: string, edits: readonly Edit[]): string {
  let text = '';
  let place = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    text += code.slice(place, edit.start) + edit.text;
    place = edit.end;
  }
  return text + code.slice(place);
}
