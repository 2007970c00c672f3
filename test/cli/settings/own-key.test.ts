import { expect, test } from 'vitest';
import type { Transport } from '../../../src/contract/operation.ts';
import { waybill } from '../harness.ts';

const account = {
  ...{ object: 'account', account_id: 'acct_1', name: 'Shop', test_mode: true, permission: 'admin' },
  ...{ sandbox: true, public_url: null, upsell: null, subsidy: null, payment_method: { status: 'active' } },
};

/** A service that revokes any key with these last four characters. */
const ending =
  (last_four: string): Transport =>
  async ({ method, path }) => {
    const ended = {
      ...{ id: 'key_1', object: 'api_key', name: 'ci', permission: 'admin', test_mode: true, last_four },
      ...{ created_at: '2026-03-02T10:00:00.000Z', revoked_at: '2026-03-02T10:00:01.000Z' },
    };
    const headers = { 'content-type': 'application/json' };
    const listed = { object: 'list', data: [ended], has_more: false, next_cursor: null };
    const answer = path === '/v2/account' ? account : method === 'GET' ? listed : ended;
    return { status: 200, headers, body: JSON.stringify(answer) };
  };

test.each([
  ['the key in use', 'cdef', true],
  ['another', 'abcd', false],
])('ending %s prints what follows from it', async (_, last_four, isTold) => {
  const env = { WAYBILL_BASE_URL: 'http://far.test', WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  const options = { env, transport: ending(last_four) };
  const { stderr, exit } = await waybill(['keys', 'revoke', 'key_1', '--yes'], options);
  expect([
    exit,
    stderr.includes('You revoked the key in use. Log in with another one: waybill login\n'),
  ]).toEqual([0, isTold]);
});

test.each([
  ['the key in use', 'cdef', 'Revoke key_1 now? You are currently using it.'],
  ['another', 'abcd', 'Revoke key_1 now?'],
])('the confirmation of ending %s says what follows from it', async (_, last_four, question) => {
  const env = { WAYBILL_BASE_URL: 'http://far.test', WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  const options = { env, transport: ending(last_four), tty: true, answers: [] };
  expect((await waybill(['keys', 'revoke', 'key_1'], options)).stderr).toContain(
    `no answer for: ${question}`,
  );
});
