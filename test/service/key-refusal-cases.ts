import { changeAccountRow } from '../../src/storage/accounts.ts';
import type { Refusal } from './refusal-cases.ts';

/** Requests with keys that no longer work, or to make them so. */
export const keyRefusals: readonly Refusal[] = [
  {
    name: 'a revoked key',
    code: 'unauthorized',
    says: /revoked/,
    send: async (fixture) => {
      const { data } = await fixture.client().keys.create({ body: { permission: 'admin' } });
      await fixture.client().keys.revoke({ params: { key_id: data.id } });
      return fixture.send('GET', '/v2/account', { headers: { 'x-api-key': data.key ?? '' } });
    },
  },
  {
    name: 'an expired key',
    code: 'unauthorized',
    says: /expired/,
    send: async (fixture) => {
      const expires_at = new Date(fixture.config.wall.now() + 60_000).toISOString();
      const { data } = await fixture.client().keys.create({ body: { permission: 'read', expires_at } });
      const use = () => fixture.send('GET', '/v2/account', { headers: { 'x-api-key': data.key ?? '' } });
      if ((await use()).status !== 200) throw new Error('the key must work before it expires');
      fixture.passWall(60_000);
      return use();
    },
  },
  {
    name: 'a key that has expired when it is created',
    code: 'invalid_request',
    says: /must be in the future/,
    send: (fixture) =>
      fixture.send('POST', '/v2/api_keys', {
        body: { permission: 'read', expires_at: new Date(fixture.config.wall.now()).toISOString() },
      }),
  },
  {
    name: 'a key of a suspended account',
    code: 'account_suspended',
    says: /suspended/,
    send: async (fixture) => {
      const { account_id } = (await fixture.client().account.get()).data;
      await fixture.storage.run((db) => changeAccountRow(db, account_id, { suspended_at: fixture.now() }));
      // Another process may use a key for a second after its account was suspended.
      fixture.passWall(1_001);
      return fixture.send('GET', '/v2/account');
    },
  },
  {
    name: 'revoking the last admin key that does not expire',
    code: 'last_admin_key',
    says: /of the test keys of the account no other one with admin permission that does not expire would be left/,
    send: async (fixture) => {
      const client = fixture.client();
      const [first] = (await client.keys.list()).data.data;
      const expires_at = new Date(fixture.config.wall.now() + 60_000).toISOString();
      await client.keys.create({ body: { permission: 'admin', expires_at } });
      return fixture.send('DELETE', `/v2/api_keys/${first?.id}`);
    },
  },
];
