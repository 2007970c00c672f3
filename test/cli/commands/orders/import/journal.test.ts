import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createJournal,
  DamagedJournal,
  type Entry,
  type Header,
  openJournal,
} from '../../../../../src/cli/commands/orders/import/journal.ts';
import { paceText } from '../../../../../src/cli/commands/orders/import/progress.ts';
import { lockFile } from '../../../../../src/cli/commands/orders/import/result-files.ts';
import { chunkKey } from '../../../../../src/cli/commands/orders/import/send-chunks.ts';
import { freshHome } from '../../../harness.ts';

const home = freshHome();
let files = 0;
const newPath = () => join(home, `${files++}`);

const header: Header = {
  ...{ type: 'import', version: 2, id: 'i1', settings: null, simulation: null, at: 1 },
  file: {
    ...{ format: 'csv', sha256: 'abc', rows: 3, columns: ['Zoë'] },
    ...{ preset: 'shopify', map: [['Zoë', 'dropoff_name']], store: 'str_1' },
  },
  place: { profile: 'p', service: 's', mode: 'live', account_id: 'a' },
  limits: { rows: 2, bytes: 1000 },
};
const done: Entry = {
  ...{ type: 'done', chunk: 0, batch_id: null },
  made: [{ line: 2, ref: 'Zoë', order_id: 'ord_1' }],
  failed: [{ line: 3, error: 'é', cells: ['a', ''] }],
};

test('the journal is read back as written, and a torn end is dropped permanently', async () => {
  const path = newPath();
  const journal = await createJournal(path, header);
  journal.append(done);
  journal.append({ type: 'accepted', chunk: 1, batch_id: 'bat_2', rows: 1 });
  journal.close();
  const whole = readFileSync(path, 'utf8');
  appendFileSync(path, '{"type":"accepted","chunk":1,"batch');
  const again = await openJournal(path);
  expect(again?.state).toEqual(journal.state);
  again?.append({ type: 'finished', made: 1, failed: 1, at: 2 });
  again?.close();
  expect(readFileSync(path, 'utf8')).toBe(`${whole}{"type":"finished","made":1,"failed":1,"at":2}\n`);
  const settled = (await openJournal(path))?.state.settled.get(0);
  expect(settled).toMatchObject({ made: 1, failed: 1 });
  expect(settled === undefined ? null : again?.read(settled.span)).toEqual(done);
});

test('a journal cut within its header, or changed, is damaged; a missing one is absent', async () => {
  const path = newPath();
  expect(await openJournal(path)).toBeNull();
  for (const text of [
    '',
    JSON.stringify(header).slice(0, -3),
    JSON.stringify(header),
    '{"type":"accepted","chunk":0,"batch_id":"x","rows":1}\n',
    `${JSON.stringify({ ...header, version: 1 })}\n`,
    `${JSON.stringify(header)}\nnot JSON\n`,
  ]) {
    writeFileSync(path, text);
    await expect(openJournal(path)).rejects.toThrow(DamagedJournal);
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
});

test('a new journal leaves no draft, and takes entries under its name', async () => {
  const path = newPath();
  const journal = await createJournal(path, header);
  expect(existsSync(`${path}.part`)).toBe(false);
  journal.append(done);
  expect((await openJournal(path))?.state.settled.size).toBe(1);
});

test('entries after the end of a chunk do not reopen it', async () => {
  const journal = await createJournal(newPath(), header);
  journal.append(done);
  journal.append({ type: 'accepted', chunk: 0, batch_id: 'bat_1', rows: 1 });
  expect([journal.state.open.size, journal.state.settled.size]).toEqual([0, 1]);
});

test('a key contains its import, file, chunk and attempt, and is short enough', () => {
  const keys = [
    chunkKey(header, 0, 0),
    chunkKey(header, 1, 0),
    chunkKey(header, 0, 1),
    chunkKey({ ...header, id: 'i2' }, 0, 0),
    chunkKey({ ...header, file: { ...header.file, sha256: 'def' } }, 0, 0),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(Math.max(...keys.map((key) => key.length))).toBeLessThan(155);
  expect(chunkKey({ ...header, at: 99 }, 0, 0)).toBe(keys[0]);
});

test('one process holds the lock, and another learns which; a released lock is deleted', () => {
  const path = join(home, 'lock');
  const lock = lockFile(path, 'orders.csv');
  expect(() => lockFile(path, 'orders.csv')).toThrow(
    `orders.csv is being imported by process ${process.pid}.`,
  );
  lock.release();
  expect(existsSync(path)).toBe(false);
  lockFile(path, 'orders.csv').release();
});

test('the file of a dead process is not a lock', () => {
  const path = join(home, 'left');
  closeSync(openSync(path, 'w'));
  lockFile(path, 'orders.csv').release();
});

test('an invalid lock file is reported as one that cannot be written', () => {
  const path = join(home, 'strange');
  writeFileSync(path, 'x'.repeat(5_000));
  expect(() => lockFile(path, 'orders.csv')).toThrow(/strange cannot be written: file is not a database/);
});

test('a symbolic link is refused, and its target is not created', () => {
  const [path, other] = [join(home, 'linked'), join(home, 'elsewhere')];
  symlinkSync(other, path);
  expect(() => lockFile(path, 'orders.csv')).toThrow(/linked cannot be written: it is a symbolic link/);
  expect(existsSync(other)).toBe(false);
});

const pace = { before: 1_000, total: 5_000, started_at: 0, columns: null };

test.each([
  [1_000, 0, '[####................] 20% · 1,000 of 5,000 orders'],
  [1_000, 9_000, '[####................] 20% · 1,000 of 5,000 orders'],
  [2_000, 10_000, '[########............] 40% · 2,000 of 5,000 orders · 100/s · 30 s left'],
  [1_010, 10_000, '[####................] 20% · 1,010 of 5,000 orders · 1.0/s · 1 h 7 min left'],
  [1_200, 10_000, '[####................] 24% · 1,200 of 5,000 orders · 20/s · 3 min left'],
  [5_000, 10_000, '[####################] 100% · 5,000 of 5,000 orders · 400/s · 0 s left'],
])('%i orders after %i ms', (done, now, text) => {
  expect(paceText(done, pace, now)).toBe(text);
});

test.each([
  [60, '[########............] 40% · 2,000 of 5,000 orders · 100/s · 30 s left'],
  [59, '40% · 2,000 of 5,000 orders · 100/s · 30 s left'],
])('with %i columns', (columns, text) => {
  expect(paceText(2_000, { ...pace, columns }, 10_000)).toBe(text);
});
