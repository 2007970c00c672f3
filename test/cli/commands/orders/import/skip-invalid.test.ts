import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorOf, jsonOf, linesIn } from '../../../harness.ts';
import { postsTo, sandbox } from '../../../sandbox.ts';
import { failingAfter, importFolder, refused_address, refusingRuns } from './import-folder.ts';
import { createCsvFiles, orderAt } from './made-up-orders.ts';

const box = await sandbox();
const csvOf = createCsvFiles();

/** A file of which the rows with these numbers cannot be sent. */
const withBad = (count: number, bad: readonly number[], change = (_: number): object => ({})) =>
  importFolder(
    box,
    csvOf(count, (number) => ({ ...change(number), ...(bad.includes(number) ? { tip: '4' } : {}) })),
  );

test.each([
  ['manual dispatch', []],
  ['auto dispatch', ['--auto']],
])('%s: the good rows are sent, the others listed in the order of the file: exit 10', async (_, flags) => {
  const { run, beside } = withBad(302, [1, 300]);
  const { exit, stdout, stderr } = await run([...flags, '--skip-invalid', '--json']);
  expect([exit, errorOf(stderr).code]).toEqual([10, 'rows_failed']);
  expect(jsonOf(stdout)).toMatchObject({ rows: 302, made: 300, failed: 2 });
  const failed = linesIn(beside('.failed.csv')).slice(1);
  expect(failed.map((line) => /,(\d+),"tip: must be dollars/.exec(line)?.[1])).toEqual(['3', '302']);
  expect(linesIn(beside('.ok.csv'))).toHaveLength(301);
});

test('of orders in one line of JSON, only the bad one is left out', async () => {
  const orders = [0, 1, 2].map((number) => ({
    ...{ ...orderAt(number), external_order_ref: `line-${number}`, dropoff_name: `Ann ${number}  Roe` },
    ...(number === 1 ? { tip: 'x' } : {}),
  }));
  const { run, beside } = importFolder(box, JSON.stringify(orders), 'orders.json');
  const { exit, stdout } = await run(['--skip-invalid', '--json']);
  expect([exit, jsonOf(stdout)]).toMatchObject([10, { rows: 3, made: 2, failed: 1 }]);
  expect(linesIn(beside('.failed.csv')).slice(1)).toEqual([expect.stringContaining('line-1')]);
});

test('rows that the check and the service refuse are in one file', async () => {
  const { run, beside } = withBad(3, [0], (number) =>
    number === 2 ? { dropoff_address: refused_address } : {},
  );
  expect((await run(['--skip-invalid'], refusingRuns(box))).exit).toBe(10);
  const failed = linesIn(beside('.failed.csv')).slice(1);
  expect(failed.map((line) => /,(\d+),"?(\w+): /.exec(line)?.slice(1))).toEqual([
    ['2', 'tip'],
    ['4', 'dropoff_address'],
  ]);
});

test('a resumed import leaves out the same rows', async () => {
  const { run, beside } = withBad(304, [5, 303]);
  expect((await run(['--skip-invalid', '--concurrency', '1'], failingAfter(box, 1))).exit).toBe(7);
  const { exit, stdout } = await run(['--resume', '--json']);
  expect([exit, jsonOf(stdout)]).toEqual([10, expect.objectContaining({ rows: 304, made: 302, failed: 2 })]);
  expect(linesIn(beside('.failed.csv'))).toHaveLength(3);
});

test('without a good row nothing is sent; a check says what would be', async () => {
  const before = postsTo(box);
  const { run, path } = withBad(2, [0, 1]);
  expect((await run(['--skip-invalid'])).exit).toBe(2);
  const checked = withBad(3, [1]);
  const { exit, stdout, stderr } = await checked.run(['--validate-only', '--skip-invalid', '--json']);
  expect([exit, errorOf(stderr).code]).toEqual([10, 'rows_failed']);
  expect(jsonOf(stdout)).toMatchObject({ rows: 3, invalid: 1 });
  expect([postsTo(box) - before, existsSync(`${path}.waybill-journal`)]).toEqual([0, false]);
});

test('one bad row of a file names the way to send the others', async () => {
  const { run } = withBad(3, [1]);
  const { exit, stderr } = await run(['--json']);
  expect([exit, errorOf(stderr).next]).toMatchObject([
    2,
    [{}, { command: 'waybill orders import orders.csv --skip-invalid' }],
  ]);
});

test('the account has what was changed, with two examples, of different fields', async () => {
  const { run } = withBad(5, [], (number) => ({
    ...(number < 3 ? { dropoff_name: `Joe &amp; Co ${number}` } : {}),
    ...(number === 3 ? { items_description: 'Soup<br>Bread' } : {}),
  }));
  const { stderr } = await run();
  expect(stderr).toContain(
    'Read: 1 order as given; 4 changed, such as dropoff_name: "Joe &amp; Co 0" as "Joe & Co 0" (line 2), items_description: "Soup<br>Bread" as "Soup Bread" (line 5).',
  );
});
