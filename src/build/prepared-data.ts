/**
 * Plugins that compute data at build time, so that the program starts faster: the operations of the contract, and the
 * SQL of prepared queries.
 */
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
import { buildQueryText } from '../storage/storage.ts';

const whole = '\0prepared:operations';
const outline = '\0prepared:outlines';
const requests = '\0prepared:requests';
const schemasFile = 'schemas.json';

/**
 * Replaces the operations by prepared data instead of the code that builds their schemas, which takes milliseconds at
 * every start: the description contains everything, the service only the request schemas, the client only where to
 * send a call and what its response must have. Schemas are plain JSON Schema, so nothing is lost. With `isShared` the
 * client's data is as small as possible instead of fast to load.
 */
export function preparedOperations({ isShared = false } = {}): Plugin {
  return {
    name: 'prepared-operations',
    resolveId(id, importer = '') {
      if (!id.endsWith('/operations.ts')) return null;
      if (/[\\/]src[\\/]client[\\/]/.test(importer)) return outline;
      return /[\\/]src[\\/]service[\\/]/.test(importer) ? requests : whole;
    },
    load(id) {
      if (id === whole) return moduleOf(operations);
      if (id === requests) {
        this.emitFile({ type: 'asset', fileName: schemasFile, source: schemasText() });
        return requestsModule();
      }
      if (id === outline) return isShared ? sharedOutlines() : nounByNoun(outlineOf);
      return null;
    },
  };
}

function moduleOf(data: unknown): string {
  return `export const operations = ${parsed(data)};`;
}

/** A table of operations that creates each noun on first use: a program makes one or two calls. */
function nounByNoun(of: (operation: Operation) => unknown, made = (text: string) => text): string {
  const nouns = Object.entries(operations).map(
    ([noun, verbs]) => `get ${noun}() { return named('${noun}', ${made(parsed(mapped(verbs, of)))}); }`,
  );
  return `
    function named(noun, value) {
      Object.defineProperty(operations, noun, { value, enumerable: true });
      return value;
    }
    export const operations = { ${nouns.join(', ')} };
  `;
}

/** Parsing text is faster than running a literal of this size. */
function parsed(data: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(data))})`;
}

/** The request schemas are in a separate file, which is read when a request is first checked. */
function requestsModule(): string {
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
    export const operationPlaces = ${parsed(listOperationPlaces(operations))};
    ${nounByNoun(requestOf, (text) => `withSchemas(${text})`)}
  `;
}

/** Everything but the schemas: those of requests are in the separate file. */
function requestOf(operation: Operation) {
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

/** Everything but the schemas of requests, and of responses only what determines the types of their values. */
function outlineOf(operation: Operation) {
  const { params, query, body, answer, accepted, ...called } = operation;
  return {
    ...called,
    answer: shapeOf(answer),
    accepted: accepted && { object: accepted.object, schema: shapeOf(accepted.schema) },
    query: query && {},
  };
}

/** A shorter part is not shorter as a name with its declaration. */
const min_shared_length = 24;

/** The same as code in which each part that occurs several times, such as the schema of a record, is written once. */
function sharedOutlines(): string {
  const called = (operation: Operation) => {
    const { errors, permission, ...outlined } = outlineOf(operation);
    return outlined;
  };
  // As JSON, so that fields without a value count for nothing.
  const outlines: unknown = JSON.parse(JSON.stringify(mapped(operations, (verbs) => mapped(verbs, called))));
  const counts = new Map<string, number>();
  countParts(outlines, counts);
  const names = new Map<string, string>();
  const lines: string[] = [];
  const literal = (value: unknown): string => {
    const text = JSON.stringify(value);
    if (typeof value !== 'object' || value === null) return text;
    const known = names.get(text);
    if (known !== undefined) return known;
    const code = Array.isArray(value)
      ? `[${value.map(literal).join()}]`
      : `{${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${literal(each)}`)}}`;
    if (counts.get(text) === 1 || text.length < min_shared_length) return code;
    const name = `shared${names.size}`;
    names.set(text, name);
    lines.push(`const ${name} = ${code};`);
    return name;
  };
  const code = literal(outlines);
  return `${lines.join('\n')}\nexport const operations = ${code};`;
}

/** Counts how often each object and list occurs in a value, by its JSON; what is in a repeated one counts once. */
function countParts(value: unknown, counts: Map<string, number>): void {
  if (typeof value !== 'object' || value === null) return;
  const text = JSON.stringify(value);
  const before = counts.get(text) ?? 0;
  counts.set(text, before + 1);
  if (before > 0) return;
  for (const part of Object.values(value)) countParts(part, counts);
}

/** The keywords of a schema that determine the type of a value; for an enumeration one value is enough. */
const typeParts: readonly string[] = ['type', 'const', 'title', 'format', 'required', 'items', 'anyOf'];

function shapeOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((each) => (typeof each === 'string' ? each : shapeOf(each)));
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).flatMap(([name, value]) => {
    if (name === 'properties') return [[name, mapped(value, shapeOf)]];
    if (name === 'enum') return [[name, value.slice(0, 1)]];
    return typeParts.includes(name) ? [[name, shapeOf(value)]] : [];
  });
  return Object.fromEntries(parts);
}

function mapped<A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/**
 * The SQL texts of the prepared queries in SQLite's dialect, by name, generated by the code that builds them at run
 * time.
 */
export function lookupTexts(): Record<string, string> {
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (inner) => new SqliteIntrospector(inner),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return {
    [keyByHash.name]: buildQueryText(db, keyByHash),
    [keyByName.name]: buildQueryText(db, keyByName),
    [serviceState.name]: buildQueryText(db, serviceState),
    [deliveryById.name]: buildQueryText(db, deliveryById),
    [deliveryByToken.name]: buildQueryText(db, deliveryByToken),
    [driverByLink.name]: buildQueryText(db, driverByLink),
    [orderById.name]: buildQueryText(db, orderById),
    [routeById.name]: buildQueryText(db, routeById),
    [batchById.name]: buildQueryText(db, batchById),
    [ordersOfBatchById.name]: buildQueryText(db, ordersOfBatchById),
    [latestJobs.name]: buildQueryText(db, latestJobs),
    [quotesOfJob.name]: buildQueryText(db, quotesOfJob),
    [declinesOfJob.name]: buildQueryText(db, declinesOfJob),
    [newestOrders.name]: buildQueryText(db, newestOrders),
    [triesOfOrderRange.name]: buildQueryText(db, triesOfOrderRange),
    [newestDeliveries.name]: buildQueryText(db, newestDeliveries),
    [chargesOfOne.name]: buildQueryText(db, chargesOfOne),
    [notesOfDelivery.name]: buildQueryText(db, notesOfDelivery),
  };
}
