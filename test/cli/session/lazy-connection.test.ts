import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { errorOf, freshHome, waybill } from '../harness.ts';
import { orderLine, sandbox } from '../sandbox.ts';

test('an internal error of the embedded service is shown only with --debug', async () => {
  const home = freshHome();
  const made = await waybill([...orderLine, '-o', 'id'], { home });
  const storage = await openStorage(join(home, '.local', 'share', 'waybill', 'waybill.db'));
  await storage.run((db) => db.updateTable('orders').set({ record: 'broken' }).execute());
  await storage.close();
  const line = ['orders', 'get', made.stdout.trim(), '--json'];
  const quiet = await waybill(line, { home });
  expect(quiet.exit).toBe(7);
  expect(errorOf(quiet.stderr)).toMatchObject({ code: 'internal_error' });
  expect(quiet.stderr).not.toContain('SyntaxError');
  const outcome = await waybill([...line, '--debug'], { home });
  expect(outcome.stderr).toContain('SyntaxError');
});

test.each([
  ['http://shop.example', 1],
  ['https://shop.example', 0],
  ['http://127.0.0.1:4010', 0],
  ['http://localhost:4010', 0],
])('a key for %s is sent with %d warnings that others can read it', async (url, count) => {
  const box = await sandbox();
  const env = { WAYBILL_BASE_URL: url, WAYBILL_API_KEY: 'wb_test_1' };
  const { stderr } = await box.run(['orders', 'list'], { env });
  expect(stderr.split('The API key is sent without encryption').length - 1).toBe(count);
  const dry = await box.run([...orderLine, '--dry-run', '--quiet'], { env });
  expect(dry.stderr).not.toContain('without encryption');
});
