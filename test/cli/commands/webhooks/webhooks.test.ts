import { expect, test } from 'vitest';
import { errorOf, failureOf } from '../../harness.ts';
import { orderLine, type Sandbox, sandbox } from '../../sandbox.ts';

const url = 'http://127.0.0.1:3000/hooks';
const box = await sandbox();

async function newEndpoint(on: Sandbox, ...flags: string[]): Promise<string> {
  on.advance(1);
  return String((await on.json(['webhooks', 'create', url, ...flags])).id);
}

test('an endpoint is created, its secret shown once, with how to verify events', async () => {
  const made = await box.run(['webhooks', 'create', url, '--description', 'Shop']);
  expect(made).toMatchObject({ exit: 0 });
  const id = /whe_\w+/.exec(made.stdout)?.[0] ?? '';
  const [secret] = /whsec_\S+/.exec(made.stdout) ?? [];
  expect(made.stdout).toMatch(/^secret\twhsec_[A-Za-z0-9+/]{43}=\n/);
  expect(made.stderr).toContain('Save this secret now. It will not be shown again.\n');
  expect(made.stderr).toContain('`waybill serve` or `waybill listen`');
  expect(made.stderr).toContain(`Test it: waybill webhooks test ${id}\n`);
  expect(made.stderr).not.toContain('has this URL, too');
  const second = await box.run(['webhooks', 'create', url]);
  expect(second.stderr).toContain(`${id} has this URL, too: it gets events once for each.`);
  await box.run(['webhooks', 'delete', /whe_\w+/.exec(second.stdout)?.[0] ?? '', '--yes']);
  const got = await box.run(['webhook', 'show', id, '--json', '--debug']);
  expect(JSON.parse(got.stdout)).toMatchObject({
    ...{ id, object: 'webhook_endpoint', url, events: ['*'], description: 'Shop', status: 'enabled' },
    ...{ waiting: 0, exhausted: 0, previous_secret_until: null, test_mode: true },
  });
  const listed = await box.run(['webhooks', 'list', '-o', 'wide']);
  expect(listed.stdout).toContain(id);
  expect([got, listed].map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(secret);
});

test('the secret alone is printed by --json=secret, and cut by --debug and --curl', async () => {
  const line = ['webhooks', 'create', url, '--json=secret', '--debug', '--curl'];
  const { stdout, stderr } = await box.run(line);
  const { secret } = JSON.parse(stdout);
  expect(Object.keys(JSON.parse(stdout))).toEqual(['secret']);
  expect(stderr).toContain('< ');
  expect(stderr).toContain('curl');
  expect(stderr).not.toContain(secret);
  expect(stderr).toContain(`whsec_…${secret.slice(-4)}`);
});

test('a repeat with the same idempotency key creates nothing and shows no secret', async () => {
  const line = ['webhooks', 'create', url, '--idempotency-key', 'k-1'];
  const [first, again] = [await box.json(line), await box.run(line)];
  expect(first).toHaveProperty('secret');
  expect(again.stdout).toMatch(new RegExp(`^secret\tshown before\nid\t${first.id}\n`));
});

test('event types are separated by commas or repeated, and a similar name is suggested', async () => {
  const types = ['--events', 'order.failed, delivery.updated', '--events', 'order.failed'];
  await newEndpoint(box, ...types);
  const posted = box.requests.findLast(({ method }) => method === 'POST');
  expect(JSON.parse(posted?.body ?? '')).toEqual({
    url,
    events: ['order.failed', 'delivery.updated'],
  });
  const likes: [string, string[]][] = [
    ['delivery.*', ['delivery.created', 'delivery.updated']],
    ['batch.*,delivery.location_updated', ['batch.completed', 'delivery.location_updated']],
    ['*', ['*']],
  ];
  for (const [given, events] of likes) {
    await newEndpoint(box, '--events', given);
    const posted = box.requests.findLast(({ method }) => method === 'POST');
    expect(JSON.parse(posted?.body ?? '')).toEqual({ url, events });
  }
  const sent = box.requests.length;
  for (const command of [
    ['create', url],
    ['update', 'whe_1'],
  ]) {
    const wrong = await box.run(['webhooks', ...command, '--events', 'order.faild', '--json']);
    expect([wrong.exit, errorOf(wrong.stderr).hint]).toEqual([2, 'Did you mean order.failed?']);
  }
  const named = await box.run(['webhooks', 'create', url, '--events', 'webhook.test', '--json']);
  expect([named.exit, errorOf(named.stderr).choices]).toEqual([2, expect.arrayContaining(['*'])]);
  expect(box.requests.length).toBe(sent);
});

test('the URL is given once, as an argument or by its flag, or prompted for', async () => {
  expect(await box.json(['webhooks', 'create', '--url', url])).toMatchObject({ url });
  const twice = await box.run(['webhooks', 'create', url, '--url', 'http://127.0.0.1:3001']);
  expect(twice).toMatchObject({ exit: 2, stdout: '' });
  const asked = await box.run(['webhooks', 'create'], { tty: true, answers: [url], env: { NO_COLOR: '1' } });
  expect(asked).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Secret +whsec_\S+\nID +whe_/) });
  const wrong = await box.run(['webhooks', 'create', 'ftp://shop.example', '--json']);
  expect([wrong.exit, errorOf(wrong.stderr)]).toMatchObject([2, { details: [{ path: 'url', flag: 'URL' }] }]);
  const flagged = await box.run(['webhooks', 'create', '--url', 'ftp://shop.example', '--json']);
  expect(errorOf(flagged.stderr).details).toMatchObject([{ path: 'url', flag: '--url' }]);
});

test('endpoints are listed newest first and by status, and further pages are named', async () => {
  const listed = await sandbox();
  const [first, second] = [await newEndpoint(listed), await newEndpoint(listed)];
  expect((await listed.run(['webhooks', 'ls', '-o', 'id'])).stdout).toBe(`${second}\n${first}\n`);
  await listed.run(['webhooks', 'update', first, '--disable']);
  expect((await listed.run(['webhooks', 'ls', '-o', 'id', '--status', 'disabled'])).stdout).toBe(
    `${first}\n`,
  );
  const { stderr } = await listed.run(['webhooks', 'ls', '--limit', '1', '--status', 'enabled']);
  expect(stderr).toBe('');
  expect((await listed.run(['webhooks', 'ls', '--limit', '1'])).stderr).toMatch(
    /waybill webhooks list --limit 1 --cursor /,
  );
  const shown = await listed.run(['webhooks', 'ls'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
  expect(shown.stdout).toMatch(new RegExp(`^ID +URL +STATUS.*\n${second}  ${url}  enabled`));
});

test('an endpoint is changed, disabled and enabled', async () => {
  const id = await newEndpoint(box, '--description', 'Shop');
  const change = ['webhooks', 'update', id];
  const changed = await box.json([...change, '--url', `${url}/new`, '--events', '*']);
  expect(changed).toMatchObject({ id, url: `${url}/new`, description: 'Shop' });
  expect(await box.json([...change, '--clear', 'description'])).toMatchObject({ description: '' });
  const off = await box.run([...change, '--disable']);
  expect(off).toMatchObject({ exit: 0, stdout: expect.stringContaining('status\tdisabled\n') });
  expect(off.stderr).toContain(`Nothing is sent until you enable it: waybill webhooks update ${id} --enable`);
  expect((await box.run(['webhooks', 'get', id])).stderr).toContain(`${id} --enable`);
  expect(await box.json([...change, '--enable'])).toMatchObject({ status: 'enabled', disabled_reason: '' });
  const sent = box.requests.length;
  const nothing = await box.run([...change, '--json']);
  expect([nothing.exit, errorOf(nothing.stderr).choices]).toEqual([2, expect.arrayContaining(['--disable'])]);
  expect((await box.run([...change, '--enable', '--disable'])).exit).toBe(2);
  expect((await box.run([...change, '--clear', 'description', '--description', 'x'])).exit).toBe(2);
  expect(box.requests.length).toBe(sent);
});

test('nothing is deleted, and no secret rotated, without confirmation', async () => {
  const id = await newEndpoint(box);
  for (const verb of ['delete', 'rotate-secret']) {
    const line = ['webhooks', verb, id];
    expect((await box.run(line, { tty: true, answers: [false] })).exit).toBe(3);
    expect(await failureOf(box.run([...line, '--json']))).toMatchObject({ exit: 2, missing: ['--yes'] });
  }
  expect(await box.json(['webhooks', 'get', id])).toMatchObject({ previous_secret_until: null });
  const gone = await box.json(['webhooks', 'rm', id, '--yes']);
  expect(gone).toEqual({ id, object: 'webhook_endpoint', deleted: true });
  expect((await box.run(['webhooks', 'get', id])).exit).toBe(5);
});

test('a new secret is shown once, with the time until which the old one signs', async () => {
  box.advance(1);
  const before = await box.json(['webhooks', 'create', url]);
  const after = await box.run(['webhooks', 'rotate', String(before.id), '--yes']);
  expect(after.exit).toBe(0);
  const [secret] = /whsec_\S+/.exec(after.stdout) ?? [];
  expect(secret).not.toBe(before.secret);
  const { previous_secret_until: until } = await box.json(['webhooks', 'get', String(before.id)]);
  expect(until).toMatch(/^2026-03-03T10:00/);
  expect(after.stderr).toContain('Save this secret now. It will not be shown again.\n');
  expect(after.stderr).toContain(`The previous secret stays valid until ${until}.\n`);
});

test('an endpoint with waiting events names the command that shows why', async () => {
  const own = await sandbox();
  const id = await newEndpoint(own, '--events', 'delivery.created');
  const notes = async () => (await own.run(['webhooks', 'get', id])).stderr;
  expect(await notes()).not.toContain('What waits');
  await own.run(['deliveries', 'create', ...orderLine.slice(2), '--initiate']);
  expect(await notes()).toContain(`See queued events and why: waybill webhooks attempts ${id} --failed\n`);
});
