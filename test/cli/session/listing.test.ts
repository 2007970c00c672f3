import { expect, test } from 'vitest';
import { sandbox } from '../sandbox.ts';

const box = await sandbox();

test.each([
  ['orders', 'orders create'],
  ['routes', 'routes create ORDER'],
  ['deliveries', 'ship'],
  ['charges', 'ship'],
  ['events', 'ship'],
  ['disputes', 'deliveries dispute DELIVERY'],
  ['audit', 'orders create'],
  ['keys', 'keys create'],
  ['stores', 'stores create'],
  ['drivers', 'drivers add'],
  ['batches', 'orders create --auto'],
  ['webhooks', 'webhooks create URL'],
])('an empty list of %s says how the first record is made', async (noun, command) => {
  const transport: typeof box.transport = async (request) => {
    const response = await box.transport(request);
    if (!request.path.startsWith('/v2/api_keys')) return response;
    return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), data: [] }) };
  };
  const { exit, stdout, stderr } = await box.run([noun, 'list'], { transport });
  expect([exit, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(new RegExp(`: waybill ${command}\n$`));
});
