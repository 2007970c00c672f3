import type { Transport, WireRequest } from '../../src/contract/operation.ts';

/** An account in test mode. */
export const account = {
  object: 'account',
  account_id: 'acct_1',
  name: 'Shop',
  test_mode: true,
  permission: 'admin',
  sandbox: true,
  public_url: null,
  upsell: null,
  subsidy: null,
  payment_method: { status: 'active' },
  tip_limit: null,
  providers: [],
};

/** A service with made-up responses by path, which records the requests. */
export function service(answers: Record<string, unknown>, sent: WireRequest[] = []): Transport {
  return async (request) => {
    sent.push(request);
    const path = request.path.split('?')[0] ?? '';
    const body = JSON.stringify(answers[path] ?? {});
    return { status: 200, headers: { 'x-service-time': '2030-01-01T00:00:00.000Z' }, body };
  };
}

/** A key whose name tries to clear the screen; created four minutes before the service's time. */
export const key = {
  id: 'key_1',
  object: 'api_key',
  name: 'Eve\u001b[2J',
  permission: 'read',
  test_mode: true,
  last_four: 'abcd',
  created_at: '2029-12-31T23:56:00.000Z',
  revoked_at: null,
};
export const page = { object: 'list', data: [key], has_more: false, next_cursor: null };
/** A service with this key only. */
export const keys = (sent?: WireRequest[]) => service({ '/v2/account': account, '/v2/api_keys': page }, sent);
/** A service that creates a key. */
export const created = service({
  '/v2/account': account,
  '/v2/api_keys': { ...key, key: 'wb_test_0123456789abcdef' },
});
