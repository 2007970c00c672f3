import type { Job } from '../../../contract/quotes.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, waitFlag, waitingOf, watchFlags } from '../../waiting/waiting-flags.ts';
import { requestQuotes } from '../quotes/quotes.ts';

const fields: Column<Job>[] = [{ field: 'job_id', header: 'Job', kind: 'id', value: ({ job_id }) => job_id }];

export const quote = defineCommand({
  name: 'quote',
  summary: 'Request provider quotes for a draft route',
  description: 'Requesting quotes again starts a new round; earlier quotes are no longer listed.',
  positionals: { route: positional('route', { summary: 'ID of a draft route', onlyOpen: true }) },
  flags: {
    wait: waitFlag('Wait, then print the quotes'),
    ...watchFlags('all quotes have arrived', 'about two minutes'),
  },
  examples: [
    { command: 'waybill routes quote ROUTE --watch', summary: 'Request quotes and wait for them' },
    { command: 'waybill routes quote ROUTE --json', summary: 'Request quotes and print the job' },
  ],
  effect: 'write',
  async run(context, { flags, positionals: { route } }) {
    const { watch, wait } = flags;
    checkWaiting(context, { watch, wait });
    const job = await requestQuotes(context, route, context.idempotencyKey());
    if (watch || wait) {
      const { waitForQuotes, watchQuotes } = await import('../quotes/quotes-waitable.ts');
      const waiting = { ...waitingOf(flags), isRequested: true };
      return watch ? watchQuotes(context, route, waiting) : waitForQuotes(context, route, waiting);
    }
    const notes = [phrase`Requesting quotes. Next: ${invocation('quotes list', [route], { watch: true })}`];
    return record(job, fields, { notes });
  },
});
