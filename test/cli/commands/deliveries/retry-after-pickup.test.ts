import { expect, test } from 'vitest';
import { jsonOf } from '../../harness.ts';
import { newDelivery, sandbox } from '../../sandbox.ts';

/** A delivery that ended after its pickup: somebody may still have the parcel, and a retry has another one made. */

const box = await sandbox();

async function ended(...statuses: string[]): Promise<string> {
  const id = await newDelivery(box, '--initiate', '--ref', statuses.join('-'));
  for (const status of statuses) await box.json(['sandbox', 'step', id, status]);
  return id;
}

const cases: [statuses: string[], isHeld: boolean][] = [
  [['driver_assigned', 'pickup_complete', 'provider_canceled'], true],
  [['driver_assigned', 'pickup_complete', 'failed'], true],
  [['driver_assigned', 'pickup_complete', 'arrived_at_dropoff', 'provider_canceled'], true],
  [['driver_assigned', 'provider_canceled'], false],
  [['failed'], false],
];

test.each(cases)(
  'after %j: whoever retries is told who may have the parcel: %s',
  async (statuses, isHeld) => {
    const id = await ended(...statuses);
    const { courier_name } = await box.json(['deliveries', 'get', id]);
    const held = `it was picked up, and ${courier_name} of poolride may still have it: ask there first`;
    const steps: { command: string; when: string }[] =
      JSON.parse((await box.run(['deliveries', 'explain', id, '--json'])).stdout).next ?? [];
    const again = steps.find(({ command }) => command.startsWith('waybill deliveries retry'));
    expect(again?.when.endsWith(`; ${held}`)).toBe(isHeld);
    const { items } = await box.json(['today']);
    const [problem] = (items as { id: string; next: { args: string[]; when: string } }[]).filter(
      (each) => each.id === id,
    );
    expect(problem?.next.args.slice(0, 2)).toEqual(['deliveries', isHeld ? 'explain' : 'retry']);
    expect(problem?.next.when === held).toBe(isHeld);
    const { stderr } = await box.run(['deliveries', 'retry', id, '--max-cost', '12'], box.passing);
    expect(stderr.includes(`Warning: About the parcel of ${id}: ${held}.`)).toBe(isHeld);
    expect(stderr).toContain('has it for');
  },
);

test('programs get the warning as an object', async () => {
  const id = await ended('driver_assigned', 'pickup_complete', 'arrived_at_dropoff', 'failed');
  const { stderr } = await box.run(['deliveries', 'retry', id, '--max-cost', '12', '--json'], box.passing);
  expect(jsonOf(stderr.split('\n')[1] ?? '')).toMatchObject({ type: 'warning', code: 'picked_up_before' });
});
