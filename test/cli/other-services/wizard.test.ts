import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { person, type Reply } from '../commands/new/person.ts';
import { otherService } from './runs.ts';
import { toTheEnd } from './wizard-answers.ts';

test.each(['minimal', 'whole'] as const)('the wizard works with %s records', async (fields) => {
  const { run, service } = await otherService({ fields, step_ms: 20 });
  const name = 'thrifty, $6.47 ($5.99 + $0.48), no limit';
  const choose: Reply = ({ choices }) => {
    expect(choices.map((each) => stripVTControlCharacters(each))).toContain(name);
    return 'thrifty';
  };
  const replies = toTheEnd('thrifty').map(
    ([asked, reply]) => [asked, asked === 'Choose a quote' ? choose : reply] as const,
  );
  const prompts = person(replies);
  const { exit, stdout, stderr } = await run(['new'], { tty: true, prompts });
  expect([exit, stdout, stderr, prompts.left()]).toEqual([
    0,
    expect.stringMatching(/waiting for a driver|driver_assigned|enroute_pickup|delivered/),
    expect.stringContaining('Dispatched to thrifty for $6.47'),
    0,
  ]);
  expect(service.store.deliveries).toHaveLength(1);
});
