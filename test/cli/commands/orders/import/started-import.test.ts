import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WireResponse } from '../../../../../src/contract/operation.ts';
import { errorOf, jsonOf, newInterruption, type RunOptions } from '../../../harness.ts';
import { postsTo, sandbox } from '../../../sandbox.ts';
import { failingAfter, importFolder, refused_address, refusingRuns } from './import-folder.ts';
import { createCsvFiles, orderAt } from './made-up-orders.ts';

const box = await sandbox();
const csvOf = createCsvFiles();
const folderWith = (content: string, name?: string) => importFolder(box, content, name);

test.each([
  ['settings', ['--auto', '--providers', 'nobody_co'], 'invalid_request'],
  ['scenario', ['--simulate', 'nonsense'], 'simulation_unknown'],
])('a refused %s leaves no files that block another import', async (_, flags, code) => {
  const { run, home, beside } = folderWith(csvOf(3));
  const refused = await run([...flags, '--json']);
  expect([refused.exit, errorOf(refused.stderr).code]).toEqual([2, code]);
  expect(refused.stderr).not.toContain('--resume');
  expect(readdirSync(home)).toEqual(['orders.csv']);
  expect((await run()).exit).toBe(0);
  const journal = beside('.waybill-journal');
  expect((await run([...flags, '--restart'])).exit).toBe(2);
  expect(beside('.waybill-journal')).toBe(journal);
  expect(existsSync(join(home, 'orders.csv.waybill-journal.old'))).toBe(false);
});

test('a check of a file that was imported leaves the failed rows of the import', async () => {
  const { run, path, beside } = folderWith(csvOf(2));
  expect((await run()).exit).toBe(0);
  writeFileSync(`${path}.failed.csv`, 'of the import');
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, whole.replace(/\+1312\d+/g, '12'));
  const { exit, stderr } = await run(['--validate-only']);
  expect([exit, beside('.failed.csv')]).toEqual([2, 'of the import']);
  expect([stderr, beside('.check.failed.csv')]).toEqual([
    expect.stringContaining('orders.csv.check.failed.csv'),
    expect.stringContaining('12'),
  ]);
});

test('a damaged journal is reported with the next commands; --restart does not read it', async () => {
  const { run, path, beside } = folderWith(csvOf(2));
  expect((await run()).exit).toBe(0);
  const whole = beside('.waybill-journal');
  for (const text of ['', whole.slice(0, 40), `${whole.split('\n')[0]}\nnot JSON\n`]) {
    writeFileSync(`${path}.waybill-journal`, text);
    for (const flags of [[], ['--resume'], ['--idempotency-key', 'k']]) {
      const { exit, stderr } = await run([...flags, '--json']);
      const { code, next } = errorOf(stderr);
      expect(exit).toBe(6);
      expect(code).toBe('journal_damaged');
      expect(next).toMatchObject([{ command: 'waybill orders list', when: 'see which orders were made' }]);
    }
    expect(beside('.waybill-journal')).toBe(text);
    expect((await run(['--restart'])).exit).toBe(0);
    expect(beside('.waybill-journal.old')).toBe(text);
  }
});

test('a journal stays where no other can be written in its place', async () => {
  const { run, path, beside } = folderWith(csvOf(301));
  expect((await run(['--concurrency', '1'], failingAfter(box, 1))).exit).toBe(7);
  const journal = beside('.waybill-journal');
  mkdirSync(`${path}.waybill-journal.part`);
  expect((await run(['--restart'])).stderr).toContain('.waybill-journal.part cannot be written');
  expect(beside('.waybill-journal')).toBe(journal);
  rmdirSync(`${path}.waybill-journal.part`);
  expect((await run(['--resume'])).stdout).toContain('made\t301\n');
});

test('the dry run of a resumed import shows what is left, and changes no file', async () => {
  const { run, home, beside } = folderWith(csvOf(601));
  expect((await run(['--concurrency', '1'], failingAfter(box, 1))).exit).toBe(7);
  const files = () => readdirSync(home).map((name) => [name, beside(name.slice('orders.csv'.length))]);
  const before = files();
  const { exit, stdout } = await run(['--resume', '--dry-run', '--json']);
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { dry_run: true, request_count: 2, row_count: 301 }]);
  expect(files()).toEqual(before);
  expect((await run(['--resume'])).exit).toBe(0);
  const after = files();
  expect((await run(['--resume', '--dry-run'])).stdout).toContain('made\t0\nthere_already\t601\n');
  expect(files()).toEqual(after);
});

test('one line with --resume starts an import, continues it, shows its result, and imports the next file', async () => {
  const { run, path } = folderWith(csvOf(301, (number) => ({ external_order_ref: `ci-${number}` })));
  const line = ['--resume', '--concurrency', '1'];
  expect((await run(line, failingAfter(box, 1))).exit).toBe(7);
  const { exit, stdout } = await run(line);
  expect([exit, stdout]).toEqual([0, expect.stringContaining('made\t301\n')]);
  expect((await run(line)).stdout).toContain('made\t0\nthere_already\t301\n');
  writeFileSync(
    path,
    csvOf(2, (number) => ({ external_order_ref: `ci-next-${number}` })),
  );
  expect(await run(line)).toMatchObject({ exit: 0, stdout: expect.stringContaining('made\t2\n') });
});

test('an import that an earlier version has begun is not split otherwise, and one that it finished is known', async () => {
  const { run, path, beside } = folderWith(csvOf(301));
  const asBefore = () => beside('.waybill-journal').replace('"version":3', '"version":2');
  expect((await run(['--concurrency', '1'], failingAfter(box, 1))).exit).toBe(7);
  writeFileSync(`${path}.waybill-journal`, asBefore());
  expect(await run(['--resume'])).toMatchObject({
    exit: 6,
    stderr: expect.stringContaining('It was started by an earlier version of waybill.'),
  });
  expect((await run(['--restart'])).exit).toBe(0);
  writeFileSync(`${path}.waybill-journal`, asBefore());
  expect((await run(['--resume'])).stderr).toContain('already finished');
});

test('repeating the command with its key continues like --resume', async () => {
  const { run } = folderWith(csvOf(301));
  const line = ['--idempotency-key', 'step-7', '--concurrency', '1'];
  expect((await run(line, failingAfter(box, 1))).exit).toBe(7);
  const { exit, stdout } = await run(line);
  expect([exit, stdout]).toEqual([0, expect.stringContaining('made\t301\n')]);
  const before = postsTo(box);
  expect(await run(line)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('made\t0\nthere_already\t301\n'),
    stderr: expect.stringContaining('already finished'),
  });
  expect(postsTo(box)).toBe(before);
  expect((await run(['--idempotency-key', 'other'])).exit).toBe(6);
  expect((await run([...line, '--simulate', 'no_driver'])).exit).toBe(6);
});

test('the options of the line are repeated in every suggested command', async () => {
  const flags = [
    ...['--auto', '--max-cost', '12.50', '--providers', 'swiftly,metrobike', '--retry-window', '0s'],
    ...['--concurrency', '1', '--format', 'csv', '--simulate', 'no_driver'],
  ];
  const typed =
    '--auto --providers swiftly,metrobike --max-cost 12.50 --retry-window 0s --format csv --concurrency 1 --simulate no_driver';
  const { run, path } = folderWith(csvOf(2), 'o.txt');
  const checked = await run(['--validate-only', ...flags]);
  expect(checked.stderr).toContain(`: waybill orders import o.txt ${typed}\n`);
  const stopped = await run([...flags, '--json'], failingAfter(box, 0));
  const [{ command }] = JSON.parse(JSON.stringify(errorOf(stopped.stderr).next));
  expect(command).toBe(`waybill orders import o.txt ${typed} --resume`);
  const second = await run([...flags, '--json']);
  expect(JSON.stringify(errorOf(second.stderr).next)).toContain(`o.txt ${typed} --resume`);
  expect((await run(['--resume', '--format', 'csv'])).exit).toBe(0);
  writeFileSync(
    path,
    csvOf(2, () => ({ dropoff_address: refused_address })),
  );
  const failed = await run([...flags, '--json'], refusingRuns(box));
  expect(failed.exit).toBe(10);
  expect(JSON.stringify(errorOf(failed.stderr).next)).toContain(
    `o.txt.failed.csv ${typed.replace('--format csv ', '')}"`,
  );
});

test('a finished import is reported again with its outcome', async () => {
  const { run, path, beside } = folderWith(
    csvOf(2, (number) => (number === 1 ? { dropoff_address: refused_address } : {})),
  );
  expect((await run([], refusingRuns(box))).exit).toBe(10);
  expect((await run()).stderr).toMatch(/imported already, at \S+: 1 order was made, 1 failed\./);
  // Someone is correcting it.
  writeFileSync(`${path}.failed.csv`, beside('.failed.csv').replace('1 Refused Rd', '2 Good Rd'));
  const corrected = beside('.failed.csv');
  expect((await run(['--resume'])).exit).toBe(10);
  expect(beside('.failed.csv')).toBe(corrected);
});

test('an import into another account is not offered for resuming: its orders can be created here', async () => {
  const { run, path, beside } = folderWith(csvOf(2));
  expect((await run()).exit).toBe(0);
  const elsewhere = beside('.waybill-journal').replace(/"account_id":"\w+"/, '"account_id":"acct_other"');
  writeFileSync(`${path}.waybill-journal`, elsewhere);
  const { exit, stderr } = await run(['--json']);
  expect(exit).toBe(6);
  expect(errorOf(stderr)).toMatchObject({
    code: 'import_begun',
    hint: 'To create its orders in this account, start over with --restart.',
  });
  expect(errorOf(stderr)).toMatchObject({ next: [] });
  expect((await run()).stderr).toMatch(
    /^It was started in test mode with .*, in another account than this\.$/m,
  );
  expect((await run(['--restart'])).exit).toBe(0);
  expect(beside('.waybill-journal.old')).toBe(elsewhere);
});

test('a JSON file is imported, and so is the corrected file of its failed rows', async () => {
  const orders = [0, 1].map((number) => ({
    ...orderAt(number),
    ...(number === 1 ? { dropoff_address: '1 X, Chicago, IL 00000' } : {}),
  }));
  const { run, beside, home } = folderWith(JSON.stringify(orders, null, 2), 'orders.json');
  expect((await run(['--skip-invalid'])).exit).toBe(10);
  const failed = beside('.failed.csv');
  expect(failed.split('\n')[0]).toBe('order,line,error');
  writeFileSync(join(home, 'corrected.csv'), failed.replace('00000', '60606'));
  const { exit, stdout } = await box.run(['orders', 'import', 'corrected.csv', '--json'], { home });
  expect([exit, jsonOf(stdout).made]).toEqual([0, 1]);
});

test('a successful check deletes the report of an earlier check, not that of an import', async () => {
  const zip = (number: number) => (number === 1 ? { dropoff_address: '1 X, Chicago, IL 00000' } : {});
  const { run, path } = folderWith(csvOf(2, () => ({ tip: 'x' })));
  expect((await run(['--validate-only'])).exit).toBe(2);
  expect(existsSync(`${path}.failed.csv`)).toBe(true);
  writeFileSync(path, csvOf(2));
  expect((await run(['--validate-only'])).exit).toBe(0);
  expect(existsSync(`${path}.failed.csv`)).toBe(false);
  writeFileSync(path, csvOf(2, zip));
  expect((await run(['--skip-invalid'])).exit).toBe(10);
  writeFileSync(path, csvOf(2));
  expect((await run(['--validate-only'])).exit).toBe(0);
  expect(existsSync(`${path}.failed.csv`)).toBe(true);
});

test('if nothing can be written errors are still reported; an import ends with 2', async () => {
  const { run, path } = folderWith(csvOf(2, () => ({ tip: '4' })));
  // Not even root can overwrite a folder.
  mkdirSync(`${path}.failed.csv.part`);
  const { exit, stderr } = await run(['--validate-only']);
  expect(exit).toBe(2);
  expect(stderr).toContain('lines 2-3, tip: must be dollars with two decimals');
  expect(stderr).toContain('orders.csv.failed.csv cannot be written: it is a folder.');
  rmdirSync(`${path}.failed.csv.part`);
  writeFileSync(path, csvOf(2));
  mkdirSync(`${path}.waybill-journal.part`);
  const refused = await run(['--json']);
  expect(refused.exit).toBe(2);
  expect(errorOf(refused.stderr)).toMatchObject({
    code: 'file_unwritable',
    hint: expect.stringContaining('copy it to a folder'),
  });
  rmdirSync(`${path}.waybill-journal.part`);
  mkdirSync(`${path}.ok.csv.part`);
  const unwritten = await run(['--json']);
  expect(unwritten.exit).toBe(2);
  expect(JSON.stringify(errorOf(unwritten.stderr))).toContain('2 of 2 rows are settled');
  expect(JSON.stringify(errorOf(unwritten.stderr).next)).toContain('orders.csv --resume');
  rmdirSync(`${path}.ok.csv.part`);
  expect((await run(['--resume'])).exit).toBe(0);
});

test('an interruption stops at once; after all rows are settled there is nothing to resume', async () => {
  const { run } = folderWith(csvOf(3));
  const controller = new AbortController();
  const interruption = newInterruption();
  const transport: RunOptions['transport'] = async (request) => {
    const answer = await box.transport(request);
    if (request.method === 'POST') controller.abort();
    return answer;
  };
  const line = ['--concurrency', '1'];
  const { stderr } = await run(line, { transport, signal: controller.signal, interruption });
  expect(stderr).toContain('Stopping: ');
  expect(interruption.status()?.text).toBe(
    'All 3 rows are settled. See their outcome with: waybill orders import orders.csv --concurrency 1 --resume',
  );
  await Promise.all(interruption.work.map((work) => work('SIGTERM')));
  expect((await run(['--resume'])).stderr).toContain('already finished');
});

test('a service in this process yields to other work', async () => {
  const { run } = folderWith(csvOf(3_000));
  const controller = new AbortController();
  let [posts, now] = [0, 0];
  let made: WireResponse | null = null;
  const transport: RunOptions['transport'] = async (request) => {
    if (request.method !== 'POST') return box.transport(request);
    posts += 1;
    // Each request takes 30 s of simulated time.
    now += 30;
    if (posts === 3) setTimeout(() => controller.abort(), 0);
    made ??= await box.transport(request);
    return made;
  };
  await run(['--concurrency', '1'], { transport, signal: controller.signal, now: () => now });
  expect(posts).toBeGreaterThanOrEqual(3);
  expect(posts).toBeLessThan(10);
});
