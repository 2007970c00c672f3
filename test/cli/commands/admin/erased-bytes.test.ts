import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { freshHome, jsonOf, waybill } from '../../harness.ts';
import { orderLine } from '../../sandbox.ts';

const name = 'Zebulon Quackenbush';
const phone = '13125550142';

/** The files in the folder of a database that contain a text. */
function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder).filter((file) => file.startsWith('waybill.db'));
  return files.filter((file) => readFileSync(join(folder, file)).includes(text));
}

test('no byte of an erased name or phone number is left in the database file and its log', async () => {
  const home = freshHome();
  const folder = join(home, '.local', 'share', 'waybill');
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  const line = orderLine.with(orderLine.indexOf('--dropoff-name') + 1, name).slice(2);
  const others = orderLine.with(orderLine.indexOf('--dropoff-phone') + 1, '+13125550177').slice(2);
  // Rows of others lie between those of the person, and grow past a page.
  const ids: string[] = [];
  for (const notes of ['Ring twice', 'x'.repeat(480)]) {
    const made = await run('deliveries', 'create', ...line, '--initiate', '--dropoff-notes', notes);
    ids.push(String(jsonOf(made.stdout).id));
    await run('deliveries', 'create', ...others, '--initiate');
  }
  for (const id of ids) {
    await run('deliveries', 'note', id, `${name} called`);
    await run('sandbox', 'step', id, 'delivered');
  }
  // Another process keeps the log from being removed with the last connection.
  const other = new DatabaseSync(join(folder, 'waybill.db'));
  other.prepare('select count(*) from deliveries').all();
  expect(filesWith(folder, name)).not.toEqual([]);
  const { stdout, exit } = await run('admin', 'erase', '--phone', phone, '--yes');
  expect([exit, JSON.parse(stdout).map(({ outcome }: { outcome: string }) => outcome)]).toEqual([
    0,
    ['erased', 'erased'],
  ]);
  expect({ name: filesWith(folder, name), phone: filesWith(folder, phone) }).toEqual({ name: [], phone: [] });
  other.close();
  // Its page is gone, and nothing links to it.
  const [id = ''] = ids;
  const shown = await waybill(['deliveries', 'explain', id, '-o', 'table'], { home });
  expect([shown.exit, shown.stdout]).toEqual([0, expect.not.stringMatching(/Tracking|\/track\//)]);
  const tracked = await run('track', id);
  expect([tracked.exit, tracked.stderr]).toEqual([5, expect.stringContaining('has no tracking link')]);
});
