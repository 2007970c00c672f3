import { expect, test } from 'vitest';
import type { Dispute } from '../../../src/contract/accounting.ts';
import { errorOf, failureOf } from '../harness.ts';
import { newDelivery, sandbox } from '../sandbox.ts';

const box = await sandbox();

const delivery = (ref: string) => newDelivery(box, '--ref', ref, '--initiate');

async function delivered(ref: string): Promise<string> {
  const id = await delivery(ref);
  await box.json(['sandbox', 'advance', '--until', `${id}:delivered`]);
  return id;
}

test('a dispute is checked before any prompt', async () => {
  const id = await delivery('D1');
  const { exit, stderr } = await box.run(['deliveries', 'dispute', 'D1'], { tty: true, answers: [] });
  expect(exit).toBe(6);
  expect(stderr).toContain(
    `Delivery ${id} is waiting for a driver: only a completed delivery can be disputed.`,
  );
});

test('in a terminal the reason is prompted for, in a script it is missing input', async () => {
  await delivered('D2');
  const from = box.requests.length;
  const script = await box.run(['deliveries', 'dispute', 'D2', '--json']);
  expect([script.exit, errorOf(script.stderr).missing]).toEqual([2, ['--reason']]);
  expect(box.requests).toHaveLength(from);
  const { exit, stderr } = await box.run(['deliveries', 'dispute', 'D2'], {
    tty: true,
    answers: ['It was cold'],
  });
  expect(exit).toBe(0);
  expect(stderr).toContain('waybill disputes resolve');
  expect(await box.json(['disputes', 'get', 'D2'])).toMatchObject({ reason: 'It was cold', status: 'open' });
  const none = await box.run(['disputes', 'get', await newDelivery(box)]);
  expect([none.exit, none.stderr]).toEqual([
    5,
    expect.stringMatching(/^Error: Delivery dlv_\w+ has no dispute\.\n/),
  ]);
});

test('a refund of a dispute is in its charges and in explain', async () => {
  const id = await delivered('D3');
  await box.json(['deliveries', 'dispute', id, '--reason', 'Half of it was missing']);
  const open = await box.run(['deliveries', 'explain', 'D3'], { tty: true });
  expect(open.stdout).toContain('Disputed, open: Half of it was missing');
  expect(open.stdout).toContain(`waybill disputes resolve ${id}`);
  const line = ['disputes', 'resolve', 'D3', '--outcome', 'refunded', '--amount', '3.00', '--note', 'Sorry'];
  const { stdout, stderr, exit } = await box.run([...line, '-o', 'csv']);
  expect(exit).toBe(0);
  expect(stderr).toContain(`Resolved the dispute of ${id}: $3.00 refunded.`);
  expect(stdout.split('\n')[1]).toMatch(
    new RegExp(`^${id},D3,Joe Diner,resolved,refunded,300,347,Half of it was missing,Sorry,`),
  );
  const closed = await box.run(['deliveries', 'explain', 'D3'], { tty: true });
  expect(closed.stdout).toContain('Disputed, refunded $3.00: Half of it was missing');
  expect(closed.stdout).toMatch(/refund +-\$3\.00 +for the dispute: Half of it was missing/);
  expect(closed.stdout).not.toContain('disputes resolve');
  expect(await failureOf(box.run([...line, '--json']))).toMatchObject({ exit: 6, code: 'dispute_not_open' });
});

test('open disputes are listed', async () => {
  const rejected = await delivered('D4');
  await box.json(['deliveries', 'dispute', rejected, '--reason', 'Late']);
  await box.json(['disputes', 'resolve', rejected, '--outcome', 'rejected']);
  const { stdout } = await box.run(['disputes', 'list', '--status', 'open', '-o', 'id']);
  expect(stdout).not.toContain(rejected);
  expect((await box.run(['disputes', 'list', '--status', 'resolved', '-o', 'id'])).stdout).toContain(
    rejected,
  );
  const sums = await box.run(['disputes', 'list', '-o', 'table']);
  const listed: Dispute[] = JSON.parse((await box.run(['disputes', 'list', '--all', '--json'])).stdout);
  const paid = listed.filter(({ outcome }) => outcome === null).reduce((sum, each) => sum + each.paid, 0);
  expect(paid).toBeGreaterThan(0);
  expect(sums.stderr).toMatch(
    `Of these ${listed.length}: 1 open, which cost $${(paid / 100).toFixed(2)}; 1 refunded, by $3.00.`,
  );
});
