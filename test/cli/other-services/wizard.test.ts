import { expect, test } from 'vitest';
import { person } from '../commands/new/person.ts';
import { otherService } from './runs.ts';
import { toTheEnd } from './wizard-answers.ts';

test.each(['minimal', 'whole'] as const)('the wizard leads to a delivery of %s records', async (fields) => {
  const { run, service } = await otherService({ fields, step_ms: 20 });
  const prompts = person(toTheEnd('thrifty'));
  const { exit, stdout, stderr } = await run(['new'], { tty: true, prompts });
  expect([exit, stdout, stderr, prompts.left()]).toEqual([
    0,
    expect.stringMatching(/delivery_created|driver_assigned|enroute_pickup|delivered/),
    expect.stringContaining('Dispatched to thrifty for $6.47'),
    0,
  ]);
  expect(service.store.deliveries).toHaveLength(1);
});
