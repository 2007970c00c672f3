/** `new`: the wizard, and the command that does the same without a terminal. */
import { switchFlag, textFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { exampleSteps, invocation, phrase } from '../kit/result/message.ts';
import { defineCommand } from '../session/command.ts';

export const create = defineCommand({
  name: 'new',
  aliases: ['wizard'],
  summary: 'Create a delivery with the interactive wizard',
  description: [
    'Walks you through five steps: orders, route, quotes, choice, dispatch. You can go back (Esc), change a step, or',
    'quit and continue later. Each step shows the equivalent command: `waybill orders create` and `waybill orders',
    'list`, `waybill routes create`, `waybill routes quote`, `waybill quotes list`, `waybill dispatch`. At the end',
    'you get all of them as one script. Use `waybill ship` in scripts.',
    '',
    'Progress is saved: orders and the draft route at the service, your answers in a local file. --resume continues',
    'without creating duplicates. In live mode the price must be confirmed; `waybill dispatch` takes --yes and',
    '--max-cost for that.',
  ].join('\n'),
  flags: {
    resume: switchFlag({ summary: 'Continue where you left off' }),
    emitScript: textFlag({ summary: 'Write the whole flow as a shell script', placeholder: 'FILE' }),
  },
  examples: [
    { command: 'waybill new', summary: 'Start the wizard (same as `waybill` in a terminal)' },
    { command: 'waybill new --resume', summary: 'Continue where you left off' },
    { command: 'waybill new --emit-script again.sh', summary: 'Save the flow as a script' },
    { command: 'waybill new --accessible', summary: 'Use numbered lists without redraws' },
  ],
  meantByWord: (word) => invocation(newRecords[word.replace(/s$/, '')] ?? 'orders create'),
  effect: 'write',
  calls: [
    'orders.create',
    'orders.list',
    'routes.create',
    'quotes.request',
    'quotes.list',
    'dispatches.create',
  ],
  exits: { 3: 'saved to continue later', 9: 'a courier declined at once' },
  errors: ['plan_broken', 'plan_unusable', 'nothing_to_resume', 'wizard_running', 'delivery_failed'],
  related: ['ship', 'orders create', 'dispatch'],
  async run(context, { flags }) {
    if (!context.interactive) throw await terminalRequired();
    const { wizard } = await import('./new/wizard.ts');
    return wizard(context, flags);
  },
});

/** The commands for `new` with a noun: `new store`. */
const newRecords: Readonly<Record<string, string>> = {
  delivery: 'ship',
  driver: 'drivers add',
  key: 'keys create',
  route: 'routes create',
  store: 'stores create',
  webhook: 'webhooks create',
};

/** Exit 2, with the input that `waybill ship` needs instead. */
async function terminalRequired(): Promise<UsageError> {
  const { ship } = await import('./ship.ts');
  const { missing, oneOf } = ship.check({ flags: new Map(), words: [] });
  const labels = [...missing.map(({ label }) => label), oneOf.join(' or ')];
  return new UsageError('`waybill new` needs a terminal for its prompts.', {
    code: 'missing_input',
    hint: phrase`Use \`${invocation('ship')}\` to do the same without prompts.`,
    missing: labels,
    next: exampleSteps(ship.examples.slice(0, 1)),
  });
}
