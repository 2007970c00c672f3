import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', '..', 'src', 'storage');
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));

/** The top-level declarations of each file. */
const declarations = files.flatMap((file) =>
  readFileSync(join(folder, file), 'utf8')
    .split(/^(?=(?:export )?(?:async )?(?:function|const) )/m)
    .map((text) => ({ file, text })),
);

const tablesIn = (text: string, verbs: string) =>
  [...text.matchAll(new RegExp(`\\.(?:${verbs})\\('(\\w+)'\\)`, 'g'))].map(([, table]) => table ?? '');

/** The tables whose rows transactions keep. */
const kept = new Set(
  declarations
    .filter(({ text }) => text.includes('= rowsById<') || text.startsWith('async function readAnswers'))
    .flatMap(({ text }) => tablesIn(text, 'selectFrom')),
);

test('every function that writes a table whose rows transactions keep says so', () => {
  expect([...kept].sort()).toEqual([
    ...['accounts', 'batch_orders', 'batches', 'deliveries', 'dispatches', 'jobs', 'orders'],
    ...['quote_declines', 'quotes', 'reports', 'routes', 'tries', 'webhook_endpoints'],
  ]);
  const silent = declarations.filter(
    ({ text }) =>
      tablesIn(text, 'insertInto|updateTable|deleteFrom').some((table) => kept.has(table)) &&
      !/\.(inserted|changed|forget)\(|forgetRows\(|= appendedTable|= rowsById/.test(text),
  );
  expect(silent.map(({ file, text }) => `${file}: ${text.split('\n')[0]}`)).toEqual([]);
});
