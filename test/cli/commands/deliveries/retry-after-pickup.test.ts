import { expect, test } from 'vitest';
import { errorOf, jsonOf } from '../../harness.ts';
import { newDelivery, postsTo, sandbox } from '../../sandbox.ts';

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
  'after %j: a retry needs consent, as somebody may have the parcel: %s',
  async (statuses, isHeld) => {
    const id = await ended(...statuses);
    const { courier_name, courier_phone_number: phone } = await box.json(['deliveries', 'get', id]);
    const digits = String(phone).replace(/^\+?1(\d{3})(\d{3})/, '+1 $1 $2 ');
    const held = `it was picked up, and ${courier_name} of poolride may still have it: ask there first, at ${digits}`;
    const steps: { command: string; when: string }[] =
      JSON.parse((await box.run(['deliveries', 'explain', id, '--json'])).stdout).next ?? [];
    expect(steps.some(({ command }) => command.startsWith('waybill deliveries retry'))).toBe(!isHeld);
    expect(steps.some(({ when }) => when === held)).toBe(isHeld);
    expect(steps.some(({ command }) => command.startsWith('waybill deliveries explain'))).toBe(false);
    const { items } = await box.json(['today']);
    const [problem] = (items as { id: string; next: { args: string[]; when: string } }[]).filter(
      (each) => each.id === id,
    );
    expect(problem?.next.args.slice(0, 2)).toEqual(['deliveries', isHeld ? 'explain' : 'retry']);
    expect(problem?.next.when === held).toBe(isHeld);
    const line = ['deliveries', 'retry', id, '--max-cost', '12'];
    if (isHeld) {
      const before = postsTo(box);
      const refused = await box.run([...line, '--json'], box.passing);
      expect([refused.exit, errorOf(refused.stderr)]).toMatchObject([
        2,
        {
          code: 'confirmation_needed',
          missing: ['--yes'],
          next: [{ command: `waybill deliveries explain ${id}` }],
        },
      ]);
      expect(postsTo(box)).toBe(before);
    }
    const { stderr } = await box.run(isHeld ? [...line, '--yes'] : line, box.passing);
    expect(stderr.includes(`Warning: About the parcel of ${id}: ${held}.`)).toBe(isHeld);
    expect(stderr).toContain('has it for');
  },
);

test('programs get the warning as an object', async () => {
  const id = await ended('driver_assigned', 'pickup_complete', 'arrived_at_dropoff', 'failed');
  const line = ['deliveries', 'retry', id, '--max-cost', '12', '--yes', '--json'];
  const { stderr } = await box.run(line, box.passing);
  expect(jsonOf(stderr.split('\n')[1] ?? '')).toMatchObject({ type: 'warning', code: 'picked_up_before' });
});
