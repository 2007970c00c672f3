import { parseAst } from 'rolldown/parseAst';

/** A node of a syntax tree (https://github.com/estree/estree), as the bundler's parser gives it. */
export interface Node extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes in one of a node's places, in their order. */
export function within(place: unknown): Node[] {
  return (Array.isArray(place) ? place : [place]).filter(isNode);
}

/** The name of an identifier, else null. */
export function nameOf(node: unknown): string | null {
  return isNode(node) && node.type === 'Identifier' && typeof node.name === 'string' ? node.name : null;
}

/** How an identifier is used: its value is asked for, alone or as `{ name }`, or something is put into the name. */
export type Use = 'value' | 'shorthand' | 'binding';

export interface Found {
  name: string;
  use: Use;
  start: number;
  end: number;
  /** Whether it stands in a function, which runs later or never. */
  isLater: boolean;
}

/** A statement at the top of a chunk. */
export interface Statement {
  node: Node;
  /** Every identifier in it that stands for something at the top: keys, labels and what a function has for itself do not. */
  found: readonly Found[];
}

/** The statements of a chunk's code. */
export function statementsOf(code: string): Statement[] {
  return within(parseAst(code).body).map((node) => ({ node, found: identifiers(node) }));
}

function identifiers(node: Node): Found[] {
  const found: Found[] = [];
  visit(node, { use: 'value', isLater: false, own: new Set() }, found);
  return found;
}

interface Place {
  use: Use;
  isLater: boolean;
  /** Names that stand for something else here. */
  own: ReadonlySet<string>;
}

/** What binds names in a node, by its type, where not all below it asks for values. */
const binding: Readonly<Record<string, readonly string[]>> = {
  VariableDeclarator: ['id'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  ArrowFunctionExpression: ['params'],
  ClassDeclaration: ['id'],
  ClassExpression: ['id'],
  CatchClause: ['param'],
  AssignmentExpression: ['left'],
  UpdateExpression: ['argument'],
  ForInStatement: ['left'],
  ForOfStatement: ['left'],
};

/** Names that stand for nothing of their own. */
const labels: Readonly<Record<string, string>> = {
  MemberExpression: 'property',
  Property: 'key',
  MethodDefinition: 'key',
  PropertyDefinition: 'key',
  LabeledStatement: 'label',
  BreakStatement: 'label',
  ContinueStatement: 'label',
};

const isFunction = (type: string) => /^(Function|ArrowFunction)/.test(type);

function visit(node: Node, place: Place, found: Found[]): void {
  const { type, start, end } = node;
  const name = nameOf(node);
  if (name !== null) {
    if (!place.own.has(name)) found.push({ name, use: place.use, start, end, isLater: place.isLater });
    return;
  }
  // `new.target` and `import.meta` are words.
  if (type === 'MetaProperty') return;
  const isLater = place.isLater || isFunction(type);
  for (const [key, below] of Object.entries(node)) {
    if (labels[type] === key && node.computed !== true) continue;
    const more = ownNames(node, key);
    const own = more.length === 0 ? place.own : new Set([...place.own, ...more]);
    for (const child of within(below))
      visit(child, { use: useOf(node, key, place.use), isLater, own }, found);
  }
}

function useOf(node: Node, key: string, use: Use): Use {
  const { type } = node;
  if (binding[type]?.includes(key)) return 'binding';
  if (use !== 'binding') return type === 'Property' && node.shorthand === true ? 'shorthand' : 'value';
  // Of a pattern, only what is not asked for: a default, a computed key, the object whose property is set.
  const isAsked =
    type === 'MemberExpression' || key === 'key' || (type === 'AssignmentPattern' && key === 'right');
  return isAsked ? 'value' : 'binding';
}

/** The names that a node has for all below one of its places: those of a function with its parameters, or of a block. */
function ownNames(node: Node, key: string): string[] {
  const { type } = node;
  if (isFunction(type)) {
    if (key === 'id' && type === 'FunctionDeclaration') return [];
    const self = type === 'FunctionExpression' ? bound(node.id) : [];
    const inBody = key === 'body' ? hoisted(node.body) : [];
    return ['arguments', ...self, ...within(node.params).flatMap(bound), ...inBody];
  }
  if (type === 'ClassExpression') return bound(node.id);
  if (type === 'CatchClause') return bound(node.param);
  if (type === 'BlockStatement') return within(node.body).flatMap(ofBlock);
  if (type === 'StaticBlock') return [...within(node.body).flatMap(ofBlock), ...hoisted(node.body)];
  if (type === 'SwitchStatement' && key === 'cases') {
    return within(node.cases).flatMap(({ consequent }) => within(consequent).flatMap(ofBlock));
  }
  if (type === 'ForStatement') return within(node.init).flatMap(ofBlock);
  if (type === 'ForInStatement' || type === 'ForOfStatement') return within(node.left).flatMap(ofBlock);
  return [];
}

/** What a declaration declares for its block alone. */
function ofBlock(statement: Node): string[] {
  return statement.kind === 'var' ? [] : declared(statement);
}

/** What a declaration declares. */
function declared(statement: Node): string[] {
  if (statement.type === 'VariableDeclaration')
    return within(statement.declarations).flatMap(({ id }) => bound(id));
  return /^(Function|Class)Declaration$/.test(statement.type) ? bound(statement.id) : [];
}

/** What `var` declares anywhere in a function, but for what has variables of its own in it. */
function hoisted(place: unknown): string[] {
  return within(place).flatMap((node) => {
    if (isFunction(node.type) || node.type === 'StaticBlock') return [];
    const own = node.type === 'VariableDeclaration' && node.kind === 'var' ? declared(node) : [];
    return [...own, ...Object.values(node).flatMap(hoisted)];
  });
}

/** The names in a pattern. */
function bound(pattern: unknown): string[] {
  if (!isNode(pattern)) return [];
  const name = nameOf(pattern);
  if (name !== null) return [name];
  const { type } = pattern;
  if (type === 'Property') return bound(pattern.value);
  if (type === 'AssignmentPattern') return bound(pattern.left);
  const parts = [pattern.properties, pattern.elements, pattern.argument].flatMap(within);
  return parts.flatMap(bound);
}
