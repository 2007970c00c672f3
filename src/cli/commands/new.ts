import { defineCommand } from '../command.ts';
import { UsageError } from '../failures/failure.ts';
import { exampleSteps, invocation } from '../kit/output/invocation.ts';
import { phrase } from '../kit/output/message.ts';
import { flag, text } from '../line/flags.ts';

export const create = defineCommand({
  name: 'new',
  aliases: ['wizard'],
  summary: 'A delivery in five steps, asked for one after the other',
  description: [
    'Orders, route, quotes, choice, dispatch: each step can be gone back from (Esc), changed, or left, and says the',
    'command that does the same: `waybill orders create` and `waybill orders list`, `waybill routes create`,',
    '`waybill routes quote`, `waybill quotes list`, `waybill dispatch`. At the end they are one script. Scripts take',
    '`waybill ship`, which needs no terminal.',
    '',
    'What is left half way is kept: its orders and its draft route at the service, what was typed in a file of your',
    'own. --resume goes on with it; nothing is made twice. In live mode the price is confirmed, for which',
    '`waybill dispatch` takes --yes and --max-cost beforehand.',
  ].join('\n'),
  flags: {
    resume: flag({ summary: 'Go on with the delivery that was left' }),
    emitScript: text({ summary: 'Write the whole as a script for sh', placeholder: 'FILE' }),
  },
  examples: [
    { command: 'waybill new', summary: 'Begin; `waybill` alone does the same in a terminal' },
    { command: 'waybill new --resume', summary: 'Go on where you left' },
    { command: 'waybill new --emit-script again.sh', summary: 'And keep it as a script' },
    { command: 'waybill new --accessible', summary: 'Numbered lists, nothing is redrawn' },
  ],
  effect: 'write',
  async run(context, { flags }) {
    if (!context.interactive) throw await nobodyToAsk();
    const { wizard } = await import('../wizard/wizard.ts');
    return wizard(context, flags);
  },
});

/** Exit 2 with all that a line without questions needs. */
async function nobodyToAsk(): Promise<UsageError> {
  const { ship } = await import('./ship.ts');
  const { missing, oneOf } = ship.check({ flags: new Map(), words: [] });
  const labels = [...missing.map(({ label }) => label), oneOf.join(' or ')];
  return new UsageError('`waybill new` asks its questions in a terminal, and nobody can be asked here.', {
    code: 'missing_input',
    hint: phrase`One line does the same without questions: \`${invocation('ship')}\`.`,
    missing: labels,
    next: exampleSteps(ship.examples.slice(0, 1)),
  });
}
