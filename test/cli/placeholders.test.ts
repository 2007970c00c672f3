import { expect, test } from 'vitest';
import { standInsOf } from '../../src/cli/kit/args/ask-input.ts';
import { flagLabel } from '../../src/cli/kit/args/command-input.ts';
import { commands } from './commands-of-tree.ts';
import { errorOf } from './harness.ts';
import { newDelivery, newOrder, sandbox } from './sandbox.ts';

/** Suggested commands may have placeholders: in a terminal their values are asked for, a script is told which. */

const box = await sandbox();
const delivery = await newDelivery(box, '--initiate', '--ref', 'P-1');
const failed = await newDelivery(box, '--initiate', '--ref', 'P-2');
await box.json(['sandbox', 'step', failed, 'failed']);
const order = await newOrder(box, '--ref', 'P-3');

const cases: [line: string[], fault: string, answers: string[]][] = [
  [
    ['deliveries', 'retry', failed, '--max-cost', 'DOLLARS'],
    '--max-cost needs a value in place of DOLLARS',
    ['12'],
  ],
  [
    ['ship', order, '--cheapest', '--max-cost', 'DOLLARS'],
    '--max-cost needs a value in place of DOLLARS',
    ['12'],
  ],
  [
    ['deliveries', 'edit', delivery, '--dropoff-notes', 'TEXT'],
    '--dropoff-notes needs a value in place of TEXT',
    ['Ring'],
  ],
  [['deliveries', 'note', delivery, 'TEXT'], 'TEXT stands for a value of your own', ['Called']],
  [['deliveries', 'explain', 'DELIVERY'], 'DELIVERY stands for a value of your own', [delivery]],
  [
    [
      'stores',
      'create',
      '--name',
      'NAME',
      '--address',
      '43 E Ohio St, Chicago, IL 60611',
      '--phone',
      '3125550100',
    ],
    '--name needs a value in place of NAME',
    ['Grill'],
  ],
];

test.each(cases)(
  '%j: a script is told what is missing, and a terminal asks',
  async (line, fault, answers) => {
    box.requests.length = 0;
    const { exit, stdout, stderr } = await box.run([...line, '--json']);
    const { message, next } = errorOf(stderr);
    expect([exit, stdout, message, next]).toEqual([2, '', expect.stringContaining(fault), []]);
    expect(box.requests).toEqual([]);
    const asked = await box.run(line, { ...box.passing, tty: true, answers });
    expect([asked.exit, asked.stderr]).toEqual([0, expect.not.stringContaining('Error')]);
  },
);

test.each(commands)('$words: each placeholder of its help is one', ({ command }) => {
  const { flags, positionals } = command;
  for (const [name, { kind, placeholder }] of Object.entries(flags)) {
    if (kind === 'switch' || !/^[A-Z]+$/.test(placeholder)) continue;
    const own = { flags: new Map([[name, [placeholder]]]), words: [] };
    const found = standInsOf({ flags, positionals }, { own, origins: new Map([[name, 'flag']]) });
    expect(found.map(({ label }) => label)).toEqual([flagLabel(name)]);
    const fromVariable = standInsOf(
      { flags, positionals },
      { own, origins: new Map([[name, 'environment']]) },
    );
    expect(fromVariable).toEqual([]);
  }
});
