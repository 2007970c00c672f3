import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { errorOf, freshHome, waybill } from '../harness.ts';
import { orderLine } from '../sandbox.ts';

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
