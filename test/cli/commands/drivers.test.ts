import { expect, test } from 'vitest';
import { errorOf } from '../harness.ts';
import { type Sandbox, sandbox } from '../sandbox.ts';

/** Plain text in a terminal. */
const env = { NO_COLOR: '1' };

async function add(box: Sandbox, name: string, ...flags: string[]) {
  box.advance(1);
  return box.json(['drivers', 'add', name, '--phone', '312 555 0133', ...flags]);
}

test('a driver is added, listed, given a new link and removed', async () => {
  const box = await sandbox();
  expect((await box.run(['drivers', 'list'])).stderr).toContain('waybill drivers add\n');
  const sam = await add(box, 'Sam Lee', '--vehicle', 'bicycle');
  expect(sam).toMatchObject({ object: 'driver', name: 'Sam Lee', vehicle_type: 'bicycle' });
  expect(sam.link).toMatch(/\/drive\/[0-9A-Za-z]{22}$/);
  const { stdout } = await box.run(['drivers', 'list'], { tty: true, env });
  expect(stdout).toMatch(/NAME\s+ON DUTY\s+STOPS LEFT/);
  expect(stdout).toMatch(/Sam Lee\s+no\s+0/);
  const renewed = await box.json(['drivers', 'link', 'sam', '--yes']);
  expect(renewed.id).toBe(sam.id);
  expect(renewed.link).not.toBe(sam.link);
  const gone = { id: sam.id, object: 'driver', deleted: true };
  expect(await box.json(['drivers', 'remove', 'Sam Lee', '--yes'])).toEqual(gone);
  expect((await box.run(['drivers', 'get', String(sam.id)])).exit).toBe(5);
});

test('in a terminal the link is drawn as a QR code, once, with a warning', async () => {
  const box = await sandbox();
  const line = ['drivers', 'add', 'Sam Lee', '--phone', '3125550133'];
  const { stdout, stderr } = await box.run(line, { tty: true, columns: 100, env });
  expect(stdout).toMatch(/^Added Sam Lee\ndrv_\w+\n\nhttp.*\/drive\/[0-9A-Za-z]{22}\n\n[█▀▄ ]+\n/);
  expect(stderr).toContain('Everyone with this link is this driver.');
  expect(stderr).toContain('It works on this machine only: for phones, run `waybill serve --public-url URL`');
  const piped = await box.run(['drivers', 'link', 'Sam Lee', '--yes']);
  expect(piped.stdout).toMatch(/^drv_\w+\tSam Lee\thttp\S+\/drive\/\S{22}\n$/);
});

test('a driver is found by the whole name before its beginning; an ambiguous one is refused', async () => {
  const box = await sandbox();
  const sam = await add(box, 'Sam');
  const samuel = await add(box, 'Samuel');
  await add(box, 'Samira');
  expect((await box.json(['drivers', 'get', 'SAM'])).id).toBe(sam.id);
  expect((await box.json(['drivers', 'get', 'samu'])).id).toBe(samuel.id);
  const ambiguous = await box.run(['drivers', 'get', 'sa', '--json']);
  expect([ambiguous.exit, errorOf(ambiguous.stderr).choices]).toEqual([2, expect.any(Array)]);
  expect(errorOf(ambiguous.stderr).choices).toHaveLength(3);
  const missing = await box.run(['drivers', 'get', 'Zoe', '--json']);
  expect([missing.exit, errorOf(missing.stderr).message]).toEqual([5, 'There is no driver named "Zoe".']);
});
