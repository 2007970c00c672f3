import { defineCommand } from '../command.ts';
import { integer, list as repeat, text } from '../flags.ts';
import { words } from '../result.ts';

export const whoami = defineCommand({
  name: 'whoami',
  summary: 'Show the profile',
  positionals: {},
  flags: { a: text({ summary: 'x', required: true }), b: integer({ summary: 'b' }), c: repeat({ summary: 'c' }) },
  examples: [{ command: 'waybill whoami', summary: 'x' }],
  effect: 'read',
  run(_context, input) {
    const x: string = input.flags.a;
    const y: number | undefined = input.flags.b;
    return words(x + String(y) + input.flags.c.join());
  },
});
