import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { freshHome, jsonOf, waybill } from '../../harness.ts';

const home = freshHome();
const run = (...line: string[]) => waybill(line, { home });

/** A background task with an invalid payload. */
function plant(id: string): void {
  const database = new DatabaseSync(join(home, '.local/share/waybill/waybill.db'));
  database
    .prepare('insert into tasks (id, kind, subject, due_at, payload) values (?, ?, ?, ?, ?)')
    .run(id, 'newer.kind', 'nothing', 0, '{}');
  database.close();
}

async function listed(): Promise<Record<string, unknown>[]> {
  const { stdout, exit } = await run('admin', 'failed', 'list', '-o', 'ndjson');
  expect(exit).toBe(0);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [jsonOf(line)]));
}

beforeAll(async () => {
  await run('whoami');
  plant('tsk_one');
  plant('tsk_two');
});

test('abandoned work fails no command, is listed, and doctor names the command', async () => {
  expect((await run('orders', 'list')).exit).toBe(0);
  expect(await listed()).toMatchObject([{ kind: 'newer.kind' }, { kind: 'newer.kind' }]);
  const { stdout, exit } = await run('doctor');
  expect(exit).toBe(0);
  expect(stdout).toContain('waybill admin failed retry --all');
});

test('one is retried or dismissed by its id, all with --all', async () => {
  const [first] = await listed();
  const id = String(first?.id);
  expect(jsonOf((await run('admin', 'failed', 'dismiss', id, '-o', 'ndjson')).stdout)).toMatchObject({
    id,
    deleted: true,
  });
  expect((await run('admin', 'failed', 'retry', id)).exit).toBe(5);
  const again = await run('admin', 'failed', 'retry', '--all', '-o', 'ndjson');
  expect([again.exit, jsonOf(again.stdout)]).toMatchObject([0, { kind: 'newer.kind', retryable: true }]);
  // This version does not support its kind, so that the retry fails too.
  expect(await listed()).toHaveLength(1);
  await run('admin', 'failed', 'dismiss', '--all');
  expect(await listed()).toEqual([]);
});

test('doctor reports what has failed and why, and suggests dismissing what cannot be retried', async () => {
  plant('tsk_three');
  const finding = async () => {
    const { stdout } = await run('doctor', '--json');
    const findings: { check: string }[] = JSON.parse(stdout);
    return findings.find(({ check }) => check === 'background work');
  };
  await run('orders', 'list');
  expect(await finding()).toMatchObject({
    status: 'warn',
    found: expect.stringMatching(/^1 piece was given up \(newer\.kind\), the last with: .*does not support/),
    command: 'waybill admin failed retry --all',
  });
  const database = new DatabaseSync(join(home, '.local/share/waybill/waybill.db'));
  database.exec('update failed_tasks set is_concluded = 1');
  database.close();
  expect(await finding()).toMatchObject({ command: 'waybill admin failed dismiss --all' });
  expect((await run('admin', 'failed', 'retry', String((await listed())[0]?.id))).exit).toBe(6);
  await run('admin', 'failed', 'dismiss', '--all');
  expect(await finding()).toMatchObject({ status: 'ok' });
});

test('of several tasks, what was done before an error is said and listed', async () => {
  for (const name of ['tsk_four', 'tsk_five']) plant(name);
  await run('orders', 'list');
  const [first, second] = (await listed()).map(({ id }) => String(id));
  const { exit, stdout, stderr } = await run(
    'admin',
    'failed',
    'dismiss',
    String(first),
    'ftk_0',
    String(second),
  );
  expect([exit, stdout, stderr]).toEqual([
    10,
    expect.stringContaining(String(first)),
    expect.stringContaining('1 of 3 tasks was dismissed. ftk_0 was not.'),
  ]);
  expect((await run('admin', 'failed', 'dismiss', 'ftk_0', String(second))).exit).toBe(5);
  await run('admin', 'failed', 'dismiss', '--all');
});

test.each([
  ['a task beside --all', ['retry', 'ftk_1', '--all']],
  ['neither', ['dismiss']],
  ['a task to list', ['list', 'ftk_1']],
])('%s is a usage error', async (_what, words) => {
  expect((await run('admin', 'failed', ...words)).exit).toBe(2);
});
