import { expect, test } from 'vitest';
import { freshHome } from '../../harness.ts';
import { orderLine, sandbox, startedAt } from '../../sandbox.ts';
import { person, typedOrder } from './person.ts';

const box = await sandbox();

/** Adds a driver who goes on duty. */
async function addDriverOnDuty(): Promise<void> {
  const { link } = await box.json(['drivers', 'add', 'Sam Lee', '--phone', '+13125550133']);
  const at = new Date(startedAt).toISOString();
  const { status } = await box.transport({
    method: 'POST',
    path: `${new URL(String(link)).pathname}/taps`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sent_at: at, taps: [{ id: 'duty', kind: 'duty', on: true, at }] }),
  });
  expect(status).toBe(200);
}

test('the wizard and ship offer own drivers once one is on duty', async () => {
  await addDriverOnDuty();
  const prompts = person([
    ...typedOrder,
    ['What would you like to send?', 'Continue: create'],
    ['2 stops', 'Request'],
    ['Choose a quote', 'fleet, $0.00, '],
    ['Dispatch with fleet', 'Dispatch it'],
  ]);
  const wizard = await box.run(['new'], { home: freshHome(), tty: true, prompts, ...box.passing });
  expect([wizard.exit, prompts.left()], wizard.stderr).toEqual([0, 0]);
  expect(wizard.stderr).toContain('Dispatched to fleet for $0.00.');
  const ship = ['ship', ...orderLine.slice(2), '--ref', 'B', '--provider', 'fleet', '--yes', '-o', 'json'];
  const shipped = await box.run(ship, { ...box.passing });
  expect([shipped.exit, shipped.stdout], shipped.stderr).toEqual([
    0,
    expect.stringMatching(/"service": ?"fleet"/),
  ]);
});
