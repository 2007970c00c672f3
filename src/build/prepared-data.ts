/** Data that the build computes for a faster start: the operations of the contract, and the SQL of prepared queries. */
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Plugin } from 'rolldown';
import { listOperationPlaces, type Operation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { keyByHash } from '../storage/accounts.ts';
import { batchById, ordersOfBatchById } from '../storage/batches.ts';
import type { Database } from '../storage/database.ts';
import {
  chargesOfOne,
  deliveryById,
  deliveryByToken,
  newestDeliveries,
  notesOfDelivery,
  triesOfOrderRange,
} from '../storage/deliveries.ts';
import { driverByLink } from '../storage/drivers.ts';
import { keyByName } from '../storage/idempotency.ts';
import { newestOrders, orderById } from '../storage/orders.ts';
import { declinesOfJob, latestJobs, quotesOfJob } from '../storage/quotes.ts';
import { routeById } from '../storage/routes.ts';
import { serviceState } from '../storage/settings.ts';
import { buildQueryText, type PreparedQuery, type QueryValue } from '../storage/storage.ts';

/** The ids of the modules that take the place of `contract/operations.ts`. */
const wholeModule = '\0prepared:operations';
const clientModule = '\0prepared:outlines';
const serviceModule = '\0prepared:requests';

/** The file beside the program with the schemas of requests. */
const schemasFile = 'schemas.json';

/**
 * Replaces the import of `contract/operations.ts`, whose code takes milliseconds at every start to build schemas, by a
 * module with the finished schemas, which are plain JSON Schema. Each importer gets the parts that it needs:
 *
 * - `src/client`: where to send a call, and what its response must have (`clientOperation`);
 * - `src/service`: how to serve an operation, and its request schemas, which are in a file (`servedOperation`);
 * - other folders: everything, of which the description of the interface is made.
 *
 * With `isShared` the client's module is as small as possible instead of fast to load.
 */
export function preparedOperations({ isShared = false } = {}): Plugin {
  return {
    name: 'prepared-operations',
    resolveId(id, importer = '') {
      if (!id.endsWith('/operations.ts')) return null;
      if (/[\\/]src[\\/]client[\\/]/.test(importer)) return clientModule;
      return /[\\/]src[\\/]service[\\/]/.test(importer) ? serviceModule : wholeModule;
    },
    load(id) {
      if (id === wholeModule) return `export const operations = ${parseCode(operations)};`;
      if (id === serviceModule) {
        this.emitFile({ type: 'asset', fileName: schemasFile, source: schemasText() });
        return serviceModuleCode();
      }
      if (id === clientModule) return isShared ? sharedClientCode() : lazyOperationsCode(clientOperation);
      return null;
    },
  };
}

/**
 * The code of `operations`, in which each noun is parsed on first use, as a program makes one or two calls. `reduce`
 * selects the parts of an operation, and `wrap` adds code around the verbs of a noun.
 */
function lazyOperationsCode(
  reduce: (operation: Operation) => unknown,
  wrap = (verbsCode: string) => verbsCode,
): string {
  const nouns = Object.entries(operations).map(([noun, verbs]) => {
    const code = wrap(parseCode(mapValues(verbs, reduce)));
    return `get ${noun}() { return named('${noun}', ${code}); }`;
  });
  return `
    function named(noun, value) {
      Object.defineProperty(operations, noun, { value, enumerable: true });
      return value;
    }
    export const operations = { ${nouns.join(', ')} };
  `;
}

/** Code that parses the data from a text, which is faster than running a literal of this size. */
function parseCode(data: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(data))})`;
}

/** The code of the service's module, which reads the file of schemas when a request is first checked. */
function serviceModuleCode(): string {
  return `
    import { readFileSync } from 'node:fs';
    let schemas;
    function schemasOf({ id }) {
      schemas ??= JSON.parse(readFileSync(import.meta.dirname + '/${schemasFile}', 'utf8'));
      return schemas[id];
    }
    const prepared = {
      get params() { return schemasOf(this).params; },
      get query() { return this.has_query ? schemasOf(this).query : undefined; },
      get body() { return this.has_body ? schemasOf(this).body : undefined; },
    };
    function withSchemas(verbs) {
      for (const verb in verbs) Object.setPrototypeOf(verbs[verb], prepared);
      return verbs;
    }
    export const operationPlaces = ${parseCode(listOperationPlaces(operations))};
    ${lazyOperationsCode(servedOperation, (verbsCode) => `withSchemas(${verbsCode})`)}
  `;
}

/** An operation without its schemas: those of requests are in the file of schemas. */
function servedOperation(operation: Operation) {
  const { params, query, body, answer, accepted, ...served } = operation;
  return {
    ...served,
    accepted: accepted && { object: accepted.object },
    has_query: query && true,
    has_body: body && true,
  };
}

function schemasText(): string {
  const all = Object.values(operations).flatMap((verbs) => Object.values<Operation>(verbs));
  return JSON.stringify(
    Object.fromEntries(all.map(({ id, params, query, body }) => [id, { params, query, body }])),
  );
}

/** An operation without the schemas of requests, and with the types of the values of its responses. */
function clientOperation(operation: Operation) {
  const { params, query, body, answer, accepted, ...called } = operation;
  return {
    ...called,
    answer: typesIn(answer),
    accepted: accepted && { object: accepted.object, schema: typesIn(accepted.schema) },
    query: query && {},
  };
}

/** The least length of a part that is declared under a name; a shorter part takes less room where it is used. */
const min_shared_length = 24;

/**
 * The code of the client's module for the library. Each part that occurs several times, such as the schema of a record, is
 * declared once: `const shared0 = {"type":"string","format":"date-time"};`.
 */
function sharedClientCode(): string {
  const callableOperation = (operation: Operation) => {
    const { errors, permission, ...callable } = clientOperation(operation);
    return callable;
  };
  const callable = mapValues(operations, (verbs) => mapValues(verbs, callableOperation));
  // The round trip through JSON removes fields without a value.
  const data: unknown = JSON.parse(JSON.stringify(callable));
  const counts = new Map<string, number>();
  countParts(data, counts);
  const names = new Map<string, string>();
  const declarations: string[] = [];
  /** The code of a value: the name of a shared part, which is declared at its first use, or a literal. */
  const codeOf = (value: unknown): string => {
    const json = JSON.stringify(value);
    if (typeof value !== 'object' || value === null) return json;
    const declaredName = names.get(json);
    if (declaredName !== undefined) return declaredName;
    const literal = Array.isArray(value)
      ? `[${value.map(codeOf).join()}]`
      : `{${Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${codeOf(field)}`)}}`;
    if (counts.get(json) === 1 || json.length < min_shared_length) return literal;
    const name = `shared${names.size}`;
    names.set(json, name);
    declarations.push(`const ${name} = ${literal};`);
    return name;
  };
  const code = codeOf(data);
  return `${declarations.join('\n')}\nexport const operations = ${code};`;
}

/** Counts how often each object and array occurs in a value, by its JSON. The parts of a repeated one count once. */
function countParts(value: unknown, counts: Map<string, number>): void {
  if (typeof value !== 'object' || value === null) return;
  const json = JSON.stringify(value);
  const count = counts.get(json) ?? 0;
  counts.set(json, count + 1);
  if (count > 0) return;
  for (const part of Object.values(value)) countParts(part, counts);
}

/** The keywords of a schema that determine the type of a value, besides `properties` and `enum`. */
const typeKeywords: readonly string[] = ['type', 'const', 'title', 'format', 'required', 'items', 'anyOf'];

/** Reduces a schema to the types of its values; one value of an enumeration shows their type. */
function typesIn(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((each) => (typeof each === 'string' ? each : typesIn(each)));
  if (typeof schema !== 'object' || schema === null) return schema;
  const keywords = Object.entries(schema).flatMap(([name, value]) => {
    if (name === 'properties') return [[name, mapValues(value, typesIn)]];
    if (name === 'enum') return [[name, value.slice(0, 1)]];
    return typeKeywords.includes(name) ? [[name, typesIn(value)]] : [];
  });
  return Object.fromEntries(keywords);
}

function mapValues<A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** The SQL of the prepared queries for SQLite, by name, made by the code that otherwise builds it at run time. */
export function lookupTexts(): Record<string, string> {
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (inner) => new SqliteIntrospector(inner),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const entry = <Row, Parameters extends readonly QueryValue[]>(query: PreparedQuery<Row, Parameters>) => [
    query.name,
    buildQueryText(db, query),
  ];
  return Object.fromEntries([
    ...[entry(keyByHash), entry(keyByName), entry(serviceState)],
    ...[entry(deliveryById), entry(deliveryByToken), entry(driverByLink)],
    ...[entry(orderById), entry(routeById), entry(batchById), entry(ordersOfBatchById)],
    ...[entry(latestJobs), entry(quotesOfJob), entry(declinesOfJob)],
    ...[entry(newestOrders), entry(triesOfOrderRange), entry(newestDeliveries)],
    ...[entry(chargesOfOne), entry(notesOfDelivery)],
  ]);
}
