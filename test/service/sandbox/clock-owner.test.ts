import { expect, test } from 'vitest';
import { createService } from '../../../src/service/service.ts';
import { addAccount } from '../accounts/second-account.ts';
import { type Fixture, startFixture } from '../fixture.ts';

const changes = [
  ['POST', '/v2/sandbox/clock', { mode: 'manual' }],
  ['POST', '/v2/sandbox/clock/advance', { by: 3_600 }],
  ['POST', '/v2/sandbox/reset', { seed: '7' }],
] as const;

/** The status and error of each change of clock or seed with a key, over HTTP unless it is said otherwise. */
async function tryAll({ service }: Pick<Fixture, 'service'>, key: string, client_address?: string) {
  const answers: [number, string][] = [];
  for (const [method, path, content] of changes) {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const request = { method, path, headers, body: JSON.stringify(content) };
    const { status, body } = await service.fetch({
      ...request,
      ...(client_address !== undefined && { client_address }),
    });
    answers.push([status, JSON.parse(body).message ?? '']);
  }
  return answers;
}

const address = '192.0.2.1';
const allowed = changes.map(() => [200, '']);

test('the only account moves clock and seed; as soon as there is another, neither does over HTTP', async () => {
  const fixture = await startFixture();
  expect(await tryAll(fixture, fixture.keys.test, address)).toEqual(allowed);
  const other = await addAccount(fixture);
  const before = fixture.service.clock.now();
  for (const key of [fixture.keys.test, other]) {
    for (const [status, message] of await tryAll(fixture, key, address)) {
      expect(status).toBe(403);
      expect(message).toContain('Several accounts share the clock and the seed');
      expect(message).toContain('serve --clock-owner ACCOUNT');
    }
  }
  expect(fixture.service.clock.now()).toBe(before);
  // A command of the embedded service runs on the machine of the database.
  expect(await tryAll(fixture, other)).toEqual(allowed);
});

test('the operator can leave clock and seed to one of the accounts', async () => {
  const fixture = await startFixture();
  const other = await addAccount(fixture);
  const { account_id: clock_owner } = (await fixture.client().account.get()).data;
  const service = createService({ ...fixture.config, clock_owner });
  expect(await tryAll({ service }, fixture.keys.test, address)).toEqual(allowed);
  for (const [status, message] of await tryAll({ service }, other, address))
    expect([status, message]).toEqual([403, expect.stringContaining(`Admin keys of ${clock_owner}`)]);
});

test('an account that shares a sandbox resets its own records and leaves the clock', async () => {
  const fixture = await startFixture();
  await fixture.client().clock.advance({ body: { by: 3_600 } });
  const ahead = fixture.service.clock.now();
  const other = await addAccount(fixture);
  const headers = { 'x-api-key': other, 'content-type': 'application/json' };
  const path = '/v2/sandbox/reset';
  const request = { method: 'POST', path, headers, body: '{}', client_address: address };
  expect((await fixture.service.fetch(request)).status).toBe(200);
  const clock = await fixture.client().clock.get();
  expect(Date.parse(clock.data.now)).toBeGreaterThanOrEqual(ahead);
  expect((await fixture.send('POST', path, { body: {} })).status).toBe(200);
});
