/**
 * Writes what other programs import: entry files, and the declarations of the client, its calls and records. Of the
 * contract it makes plain types, as no schema library comes with the package:
 *
 *     export interface Store { id: string; name: string; ... }
 *     export interface Calls { stores: { get(input: { params: { store_id: string } } & CallOptions): Promise<Answer<Store>>; ... } }
 *
 * The other declarations are those of the sources in `entries`. `test/program/library.test.ts` compiles programs with
 * these, and fails for a declaration that is no longer found.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { describeInterface } from '../contract/openapi.ts';
import type { Json } from '../contract/openapi-examples.ts';
import { isObject, type JsonObject } from '../contract/openapi-schemas.ts';
import type { Operation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { comment, fieldLine, fieldOf, typeOf } from './schema-types.ts';

const src = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/** A module that other programs import. */
interface Entry {
  name: string;
  /** The sources with its declarations, each after those that it imports. */
  sources: readonly string[];
  /** The types that it imports from the client; null for the client itself. */
  importedTypes: string | null;
}

const entries: readonly Entry[] = [
  {
    name: 'library',
    sources: ['client/errors.ts', 'library/calls.ts', 'library/index.ts'],
    importedTypes: null,
  },
  { name: 'library-webhooks', sources: ['library/webhooks.ts'], importedTypes: 'Event' },
  {
    name: 'library-service',
    sources: ['library/service.ts'],
    importedTypes: 'Client, ClockAdvance, ClockMove',
  },
];

/**
 * Writes the files around the built library: declarations without imports of packages, and ES modules that re-export
 * the CommonJS modules, so that both have the same classes.
 */
export function writeLibrary(dist: string): void {
  for (const entry of entries) {
    const { name } = entry;
    const exported = Object.keys(require(join(dist, `${name}.cjs`)));
    const lines = exported.map((each) => `export const ${each} = library.${each};\n`);
    writeFileSync(join(dist, `${name}.mjs`), `import library from './${name}.cjs';\n\n${lines.join('')}`);
    writeFileSync(join(dist, `${name}.d.cts`), entryDeclarations(entry));
    writeFileSync(join(dist, `${name}.d.mts`), `export * from './${name}.cjs';\n`);
  }
}

function entryDeclarations({ sources, importedTypes }: Entry): string {
  const shared =
    importedTypes === null
      ? [...contractInterfaces.map(({ file, name }) => interfaceIn(file, name)), recordsAndCalls()]
      : [`import type { ${importedTypes} } from './library.cjs';\n`];
  return [...shared, ...sources.map(declarationsIn)].join('\n');
}

/** The interfaces of the contract that the declarations use. */
const contractInterfaces = [
  { file: 'contract/errors.ts', name: 'Fault' },
  { file: 'contract/operation.ts', name: 'WireStream' },
  { file: 'contract/operation.ts', name: 'WireResponse' },
];

/** One interface that a file declares, with its comment: `export interface Fault {\n  path: string;\n}`. */
function interfaceIn(file: string, name: string): string {
  const pattern = new RegExp(`^(/\\*\\*.*\\n)?export interface ${name} \\{[^}]*\\}\\n`, 'm');
  const declaration = declarationsIn(file).match(pattern)?.[0];
  if (declaration === undefined) throw new Error(`${file} does not declare ${name}`);
  return declaration;
}

/**
 * The declarations of a source without its imports and re-exports, whose declarations are in the same output. It removes
 * `import type { Fault } from './errors.ts';`, `export * from './api.ts';` and `export {};`.
 */
function declarationsIn(file: string): string {
  const { code } = isolatedDeclarationSync(file, readFileSync(join(src, file), 'utf8'));
  return code
    .replace(/^(?:import|export (?:type )?(?:\*|\{[^}]*\}) from) .*;\n/gm, '')
    .replace(/^export \{\};\n/m, '');
}

/** The records and calls of the contract as plain types. */
function recordsAndCalls(): string {
  const document = inlineShared(JSON.parse(JSON.stringify(describeInterface('/'))));
  const components = fieldOf(document, 'components', 'schemas');
  const schemas = Object.entries(components)
    .filter(([title]) => isTitle(title) && !title.endsWith('List'))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([title, schema]) => `${comment(schema, '')}export ${typeDeclaration(title, schema)}\n`);
  const nouns: [string, Record<string, Operation>][] = Object.entries(operations);
  const calls = nouns.map(([noun, verbs]) => {
    const lines = Object.entries(verbs).flatMap(([verb, operation]) => callLines(verb, operation, document));
    return `  ${noun}: {\n${lines.join('')}  };\n`;
  });
  return [
    ...schemas,
    `/** Every call of the interface, by noun and verb. */\nexport interface Calls {\n${calls.join('')}}\n`,
  ].join('\n');
}

/** `interface Order {...}` for a record; `type Order = A | B;`, and for `{...} & {...}`, which no interface can be. */
function typeDeclaration(title: string, schema: Json): string {
  const type = typeOf(schema, '');
  const isRecord = isObject(schema) && isObject(schema.properties) && schema.allOf === undefined;
  return isRecord && type.startsWith('{') && !/^\}? ?[|&] \{/m.test(type)
    ? `interface ${title} ${type}`
    : `type ${title} = ${type};`;
}

/** Whether a schema of the document is a record or a request, such as `Order`. Shared fields have lower-case names. */
function isTitle(name: string): boolean {
  return /^[A-Z]\w*$/.test(name);
}

/** Replaces references to shared parameters, responses and fields in the document by their contents. */
function inlineShared(document: JsonObject): JsonObject {
  const copy = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(copy);
    if (!isObject(value)) return value;
    const { $ref, ...others } = value;
    const fields = Object.fromEntries(Object.entries(others).map(([name, field]) => [name, copy(field)]));
    if (typeof $ref !== 'string') return fields;
    const [kind = '', name = ''] = $ref.split('/').slice(-2);
    if (kind === 'schemas' && isTitle(name)) return value;
    const shared = copy(fieldOf(document, 'components', kind, name));
    return isObject(shared) ? { ...shared, ...fields } : shared;
  };
  const copied = copy(document);
  return isObject(copied) ? copied : {};
}

/** The method of a call with its comment. A stream has no method, as it is consumed with `follow`. */
function callLines(verb: string, operation: Operation, document: JsonObject): string[] {
  const { method, path, media } = operation;
  if (media === 'text/event-stream') return [];
  const described = fieldOf(document, 'paths', path, method.toLowerCase());
  const parts = [
    ...parameterParts(described, 'path'),
    ...bodyParts(described),
    ...parameterParts(described, 'query'),
  ];
  const isOptional = parts.every(([, , isRequired]) => !isRequired);
  const fields = parts.map(([name, type, isRequired]) => `${name}${isRequired ? '' : '?'}: ${type}`);
  const input = fields.length === 0 ? 'CallOptions' : `{ ${fields.join('; ')} } & CallOptions`;
  const doc = comment({ description: described.description ?? '' }, '    ');
  return [`${doc}    ${verb}(input${isOptional ? '?' : ''}: ${input}): ${resultType(described)};\n`];
}

/** A part of the input of a call: `params`, `body` or `query`. */
type Part = [name: string, type: string, isRequired: boolean];

function parameterParts(described: JsonObject, location: 'path' | 'query'): Part[] {
  const all = Array.isArray(described.parameters) ? described.parameters.filter(isObject) : [];
  const parameters = all.filter((each) => each.in === location);
  if (parameters.length === 0) return [];
  const lines = parameters.map(({ name, schema = {}, required }) =>
    fieldLine(String(name), schema, required === true, '      '),
  );
  const isPath = location === 'path';
  return [[isPath ? 'params' : 'query', `{\n${lines.join('')}    }`, isPath]];
}

function bodyParts({ requestBody }: JsonObject): Part[] {
  if (!isObject(requestBody)) return [];
  const { schema = {} } = fieldOf(requestBody, 'content', 'application/json');
  return [['body', typeOf(schema, '    '), requestBody.required === true]];
}

function resultType(described: JsonObject): string {
  const schemas = ['200', '202'].flatMap((status) => {
    const { content } = fieldOf(described, 'responses', status);
    return isObject(content)
      ? Object.values(content).flatMap((each) => (isObject(each) ? (each.schema ?? {}) : []))
      : [];
  });
  const types = schemas.map((schema) => typeOf(schema, '    '));
  // `OrderList` is a page of `Order`s, which a program iterates.
  const [, record] = /^(\w+)List$/.exec(types[0] ?? '') ?? [];
  return record === undefined ? `Promise<Answer<${types.join(' | ')}>>` : `List<${record}>`;
}
