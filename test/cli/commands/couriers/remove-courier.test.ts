import { expect, test } from 'vitest';
import { dispatched, startShop } from '../../../service/couriers/uber-direct-shop.ts';
import { errorOf, waybill } from '../../harness.ts';

test('couriers remove names the deliveries under way and what to do, and asks before it removes by force', async () => {
  const { fixture, close, ...shop } = await startShop();
  const queries: string[] = [];
  const run = (argv: readonly string[], answers: readonly boolean[] = []) =>
    waybill(argv, {
      env: { WAYBILL_BASE_URL: 'http://shop.test', WAYBILL_API_KEY: fixture.keys.test },
      transport: (request) => {
        if (request.method === 'DELETE') queries.push(request.path);
        return fixture.service.fetch({
          ...request,
          headers: { ...request.headers, 'x-api-key': fixture.keys.test },
        });
      },
      tty: answers.length > 0,
      answers,
      now: fixture.now,
    });
  const [delivery] = await dispatched({ fixture, close, ...shop });
  const refused = await run(['couriers', 'remove', 'uber-direct', '--yes', '--json']);
  expect([refused.exit, errorOf(refused.stderr)]).toMatchObject([
    6,
    {
      code: 'courier_has_deliveries',
      message: expect.stringContaining(delivery?.id ?? 'no delivery'),
      next: [
        { args: ['couriers', 'disable', 'uber-direct'] },
        { args: ['couriers', 'remove', 'uber-direct', '--force'] },
      ],
    },
  ]);
  expect((await run(['couriers', 'remove', 'uber-direct', '--force'], [false])).exit).toBe(3);
  const removed = await run(['couriers', 'remove', 'uber-direct', '--force', '--yes', '--json']);
  expect([removed.exit, JSON.parse(removed.stdout)]).toMatchObject([0, { deleted: true }]);
  expect(queries).toEqual(['/v2/couriers/uber-direct', '/v2/couriers/uber-direct?force=true']);
  await close();
});
