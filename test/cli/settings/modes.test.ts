import { expect, test } from 'vitest';
import { changeProfile, type Profile } from '../../../src/cli/settings/profiles.ts';
import { profilesFile } from '../../../src/cli/settings/settings.ts';
import type { Transport, WireRequest } from '../../../src/contract/operation.ts';
import { account, created, key, service } from '../fake-service.ts';
import { errorOf, freshHome, type RunOptions, waybill } from '../harness.ts';

const base_url = 'https://deliveries.test';
const stale: Profile = { base_url, mode: 'test', api_key: 'wb_live_0123456789abcdef' };

/** A home with the given profile `shop`. */
async function homeWith(profile: Profile): Promise<string> {
  const home = freshHome();
  changeProfile(profilesFile({ home, platform: 'linux', environment: {} }), 'shop', () => profile);
  return home;
}

function live(sent: WireRequest[] = []): Transport {
  const answers = {
    '/v2/account': { ...account, test_mode: false },
    '/v2/routes': { ...key, id: 'rte_1', test_mode: false },
  };
  return service(answers, sent);
}

const inShop = (home: string, transport: Transport): RunOptions => ({
  home,
  transport,
  env: { WAYBILL_PROFILE: 'shop' },
});

test.each([
  [['keys', 'create', '--permission', 'read']],
  [['dispatch', 'rte_1', '--cheapest', '--max-cost', '9', '--yes']],
  [['api', 'POST', '/v2/routes']],
])('%j is not sent if the mode of the key no longer matches the profile', async (line) => {
  const sent: WireRequest[] = [];
  const { stdout, stderr, exit } = await waybill(line, inShop(await homeWith(stale), live(sent)));
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 6 });
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v2/account']);
  expect(stderr).toContain('changed nothing');
  expect(stderr).not.toContain('route');
});

test('a change answered in the other mode is reported as made, with its id', async () => {
  const line = ['api', 'POST', '/v2/routes', '--json'];
  const { stderr, exit } = await waybill(line, { transport: live() });
  const people = await waybill(line.slice(0, -1), { transport: live() });
  expect([exit, errorOf(stderr).category]).toEqual([6, 'conflict']);
  expect(people.stderr).toContain('The change was made all the same');
  expect(people.stderr).toContain('rte_1');
});

test('a raw response of the other mode is not shown', async () => {
  const outcome = await waybill(['api', 'GET', '/v2/routes'], { transport: live() });
  expect(outcome).toMatchObject({ stdout: '', exit: 6 });
});

test.each(['csv', 'table', 'id'])(
  'a raw response cannot be written as %s: nothing is sent',
  async (format) => {
    const sent: WireRequest[] = [];
    const outcome = await waybill(['api', 'POST', '/v2/routes', '-o', format], {
      transport: service({}, sent),
    });
    expect(outcome).toMatchObject({ stdout: '', exit: 2 });
    expect(sent).toEqual([]);
    const env = { WAYBILL_OUTPUT: format };
    expect((await waybill(['api', 'GET', '/v2/account'], { transport: service({}), env })).exit).toBe(0);
  },
);

test('the mode of the embedded service’s own key is not requested', async () => {
  const sent: WireRequest[] = [];
  const transport = service({ '/v2/api_keys': { ...key, key: 'wb_test_0123456789abcdef' } }, sent);
  await waybill(['keys', 'create', '--permission', 'read'], { transport });
  expect(sent.map(({ method }) => method)).toEqual(['POST']);
});

test('the mode of a key of the environment is not stored in the profile', async () => {
  const home = await homeWith({ base_url, api_key: 'wb_live_0123456789abcdef' });
  const env = { WAYBILL_PROFILE: 'shop', WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  await waybill(['keys', 'create', '--permission', 'read'], { home, env, transport: created });
  expect((await waybill(['profiles', 'list', '-o', 'tsv'], { home })).stdout).toContain('not known yet');
});

test('a profile that is deleted while its command runs stays deleted', async () => {
  const home = await homeWith({ base_url, api_key: 'wb_live_0123456789abcdef' });
  const shown = () => waybill(['profiles', 'list', '-o', 'tsv'], { home });
  const transport: Transport = async (request, limits) => {
    if (request.method === 'GET') await waybill(['profiles', 'delete', 'shop', '--yes'], { home });
    return created(request, limits);
  };
  const { exit } = await waybill(['keys', 'create', '--permission', 'read'], inShop(home, transport));
  expect(exit).toBe(0);
  expect(await shown()).toMatchObject({ exit: 0, stdout: expect.not.stringContaining('shop') });
});

const at = '2030-01-01T00:00:00.000Z';
const quote = {
  ...{ id: 'rq_1', object: 'route_quote', cost_of_delivery: 659, service_fee: 50, provider: 'metrobike' },
  ...{ account_id: 'acct_1', route_id: 'rte_1', expires_at: null, currency: 'USD' },
  ...{ pickup_eta: at, dropoff_eta: at, created_at: at },
};

const route = {
  ...{ id: 'rte_1', object: 'route', status: 'draft', order_ids: [], stops: [], distance_miles: 1 },
  ...{ test_mode: false, created_at: at, updated_at: at },
};

test('in live mode profile and mode are above the confirmation, which names price and profile', async () => {
  const home = await homeWith({ ...stale, mode: 'live' });
  const transport = service({
    '/v2/account': { ...account, test_mode: false },
    '/v2/routes/rte_1/quotes': { object: 'route_quotes', status: 'COMPLETE', data: [quote] },
    '/v2/routes/rte_1': route,
  });
  const options = { ...inShop(home, transport), tty: true, answers: [false] };
  const { stderr, exit } = await waybill(['dispatch', 'rte_1', '--cheapest'], options);
  expect([exit, stderr]).toEqual([3, expect.stringMatching(/^shop · live mode\n/)]);
  const unasked = await waybill(['dispatch', 'rte_1', '--cheapest', '--json'], inShop(home, transport));
  expect(errorOf(unasked.stderr).message).toMatch(
    /metrobike for \$7\.09 \(plus the tips of its orders\), for real money, with the profile shop\?/,
  );
});

test('an idempotency key is three words of letters and digits', async () => {
  const sent: WireRequest[] = [];
  await waybill(['keys', 'create', '--permission', 'read'], { transport: service({}, sent) });
  expect(sent[0]?.headers['idempotency-key']).toMatch(/^[0-9a-z]{8,9}-[0-9a-z]{8}-[0-9a-z]{8}$/);
});
