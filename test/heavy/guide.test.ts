import { expect, test } from 'vitest';
import { blocks, documentsRunSeldom, readme, runDocument } from '../program/guide-documents.ts';
import { freshHome, script, serve, waybill } from '../program/run.ts';

test.each(documentsRunSeldom)('the commands of $name run in order', runDocument);

test('the first delivery works the same against a served process', async () => {
  const { url, keys, stop } = await serve(freshHome());
  const home = freshHome({ WAYBILL_BASE_URL: url, WAYBILL_API_KEY: keys.test });
  const [first = ''] = blocks(readme, 'sh');
  const { exit, stderr } = await script(home, first);
  expect(exit, stderr).toBe(0);
  const { stdout } = await waybill(home, 'deliveries', 'get', '1042', '--json');
  await stop();
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'delivery_created',
    service: 'poolride',
    payment_amount: 647,
  });
});
