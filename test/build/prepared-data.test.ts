import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { preparedOperations } from '../../src/build/prepared-data.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operationPlaces, operations } from '../../src/contract/operations.ts';

interface Prepared {
  operations: Record<string, Record<string, Operation>>;
  operationPlaces?: unknown;
}

let folder = '';
const prepared: Record<string, Prepared> = {};

/** Builds modules that import the operations from the folders of the program. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-prepared-'));
  const input = {
    cli: '/made/src/cli/a.ts',
    client: '/made/src/client/a.ts',
    service: '/made/src/service/a.ts',
  };
  const importers = {
    name: 'importers',
    resolveId: (id: string) => (id.startsWith('/made/') ? id : null),
    load: (id: string) => (id.startsWith('/made/') ? `export * from '../contract/operations.ts'` : null),
  };
  const output = { dir: folder, entryFileNames: '[name].mjs' } as const;
  await build({ input, platform: 'node', plugins: [preparedOperations(), importers], output });
  for (const name of Object.keys(input)) prepared[name] = await import(join(folder, `${name}.mjs`));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every operation by noun and verb, with all properties that a reader of the module sees. */
function allOf(table: Prepared['operations'] | undefined, change: (operation: Operation) => object) {
  return Object.entries(table ?? {}).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, each]) => ({ noun, verb, ...change(each) })),
  );
}

/** An operation without the properties that the build leaves out for a reader. */
function without(...names: readonly (keyof Operation)[]) {
  return (operation: Operation) => {
    const kept: Record<string, unknown> = { ...operation };
    const { params, query, body } = operation;
    Object.assign(kept, { params, query, body });
    for (const name of names) delete kept[name];
    delete kept.has_query;
    delete kept.has_body;
    return kept;
  };
}

test('the command line has every property of every operation', () => {
  expect(prepared.cli?.operations).toEqual(operations);
});

test('the service has every property of every operation but the schemas of responses', () => {
  const kept = without('answer', 'accepted');
  const found = allOf(prepared.service?.operations, kept);
  expect(found).toEqual(allOf(operations, kept));
  expect(found.filter((each) => 'is_probe' in each)).toHaveLength(2);
  expect(prepared.service?.operationPlaces).toEqual(operationPlaces);
  const accepted = (operation: Operation) => ({ accepted: operation.accepted?.object });
  expect(allOf(prepared.service?.operations, accepted)).toEqual(allOf(operations, accepted));
});

test('the client has every property of every operation but the schemas', () => {
  const kept = without('params', 'query', 'body', 'answer', 'accepted');
  expect(allOf(prepared.client?.operations, kept)).toEqual(allOf(operations, kept));
  const schemas = ({ query, answer, accepted }: Operation) => [query, answer, accepted].map((each) => !each);
  expect(allOf(prepared.client?.operations, schemas)).toEqual(allOf(operations, schemas));
});
