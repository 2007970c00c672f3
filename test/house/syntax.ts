import { parseSync } from 'rolldown/utils';

/** A file as the rules see it: its path from the root, with forward slashes, and its text. */
export interface Source {
  path: string;
  text: string;
}

/** How one module names another. */
export interface Import {
  specifier: string;
  kind: 'value' | 'type' | 'dynamic';
  line: number;
}

/** What a file says, by line: comments and strings are told apart from code by a real parser. */
export interface Facts {
  path: string;
  lineCount: number;
  imports: Import[];
  functions: { line: number; lineCount: number }[];
  /** Names that are read (`setTimeout`, `process.exit`, `new Date()`) and casts (`as Name`, `: any`, `!`). */
  words: { word: string; line: number }[];
  comments: { text: string; line: number }[];
}

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function field(node: SyntaxNode, name: string): unknown {
  return Reflect.get(node, name);
}

function childNode(node: SyntaxNode, name: string): SyntaxNode | undefined {
  const value = field(node, name);
  return isNode(value) ? value : undefined;
}

function nameOf(node: SyntaxNode | undefined): string | undefined {
  const name = node?.type === 'Identifier' ? field(node, 'name') : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Every node below this one with its parent and the field it stands in, outermost first. */
function* walk(node: SyntaxNode): Generator<{ node: SyntaxNode; parent: SyntaxNode; place: string }> {
  for (const [place, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue;
      yield { node: child, parent: node, place };
      yield* walk(child);
    }
  }
}

function isTypeOnly(node: SyntaxNode): boolean {
  if (field(node, 'importKind') === 'type' || field(node, 'exportKind') === 'type') return true;
  const specifiers = field(node, 'specifiers');
  if (!Array.isArray(specifiers) || specifiers.length === 0) return false;
  return specifiers.every((each) => each.importKind === 'type' || each.exportKind === 'type');
}

const importKinds: Record<string, (node: SyntaxNode) => Import['kind']> = {
  ImportDeclaration: (node) => (isTypeOnly(node) ? 'type' : 'value'),
  ExportNamedDeclaration: (node) => (isTypeOnly(node) ? 'type' : 'value'),
  ExportAllDeclaration: (node) => (isTypeOnly(node) ? 'type' : 'value'),
  ImportExpression: () => 'dynamic',
  TSImportType: () => 'type',
};

/** What a node imports; undefined for a node that imports nothing. A computed specifier reads as ''. */
function importOf(node: SyntaxNode): Omit<Import, 'line'> | undefined {
  const kind = importKinds[node.type]?.(node);
  if (kind === undefined || field(node, 'source') === null) return undefined;
  const source = childNode(node, 'source');
  const value = source?.type === 'Literal' ? field(source, 'value') : '';
  return { specifier: String(value), kind };
}

/** `a.b.c` as written, without the global object in front; undefined for anything but plain names. */
function dotted(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== 'MemberExpression') return nameOf(node);
  const owner = dotted(childNode(node, 'object'));
  const property = field(node, 'computed') === true ? undefined : nameOf(childNode(node, 'property'));
  if (owner === undefined || property === undefined) return undefined;
  return owner === 'globalThis' || owner === 'global' ? property : `${owner}.${property}`;
}

/** `new Date(...)` with arguments is a calculation, without them it reads the clock. */
function constructionWord(node: SyntaxNode): string | undefined {
  const given = field(node, 'arguments');
  return `new ${nameOf(childNode(node, 'callee'))}(${Array.isArray(given) && given.length > 0 ? '...' : ''})`;
}

function castWord(node: SyntaxNode): string | undefined {
  const type = childNode(node, 'typeAnnotation');
  const name = type?.type === 'TSTypeReference' ? nameOf(childNode(type, 'typeName')) : type?.type;
  return name === 'const' ? undefined : `as ${name}`;
}

const words: Record<string, (node: SyntaxNode) => string | undefined> = {
  MemberExpression: dotted,
  NewExpression: constructionWord,
  CallExpression: (node) => (nameOf(childNode(node, 'callee')) === 'Date' ? 'Date()' : undefined),
  Identifier: nameOf,
  TSAsExpression: castWord,
  TSTypeAssertion: castWord,
  TSAnyKeyword: () => ': any',
  TSNonNullExpression: () => '!',
};

/** Names of members and keys say nothing by themselves: `queue.setTimeout` is not the timer. */
function isLabel(parent: SyntaxNode, place: string): boolean {
  if (place !== 'property' && place !== 'key') return false;
  return field(parent, 'computed') !== true;
}

const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** Gives the line of an offset, both counted as the parser counts: lines from 1. */
function lineCounter(text: string): (offset: number) => number {
  return (offset) => text.slice(0, offset).split('\n').length;
}

/** Reads a source; throws when it does not parse. */
export function factsOf({ path, text }: Source): Facts {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lineAt = lineCounter(text);
  const facts: Facts = {
    path,
    lineCount: lineAt(text.trimEnd().length),
    imports: [],
    functions: [],
    words: [],
    comments: [],
  };
  for (const { node, parent, place } of walk(program)) {
    const line = lineAt(node.start);
    const imported = importOf(node);
    if (imported) facts.imports.push({ ...imported, line });
    if (functionTypes.includes(node.type))
      facts.functions.push({ line, lineCount: lineAt(node.end) - line + 1 });
    const word = isLabel(parent, place) ? undefined : words[node.type]?.(node);
    if (word !== undefined) facts.words.push({ word, line });
  }
  for (const comment of comments) facts.comments.push({ text: comment.value, line: lineAt(comment.start) });
  return facts;
}
