import type { Job } from '../../../contract/quotes.ts';
import { defineCommand, positional } from '../../command.ts';
import { commandLine } from '../../line/command-line.ts';
import { flag } from '../../line/flags.ts';
import { timeoutFlag, waitForQuotes, watchQuotes } from '../../quotes/quotes.ts';
import { type Column, record } from '../../result.ts';

const fields: Column<Job>[] = [{ field: 'job_id', header: 'Job', kind: 'id', value: ({ job_id }) => job_id }];

export const quote = defineCommand({
  name: 'quote',
  summary: 'Ask the providers for quotes on a draft route',
  description: 'Asking again starts a fresh round: the quotes before it are no longer listed.',
  positionals: { route: positional('route', { summary: 'The route' }) },
  flags: {
    watch: flag({ summary: 'Then show the quotes as they come', short: 'w' }),
    wait: flag({ summary: 'Then wait, and answer with the quotes' }),
    timeout: timeoutFlag,
  },
  examples: [
    { command: 'waybill routes quote ROUTE --watch', summary: 'Ask, and see the quotes' },
    { command: 'waybill routes quote ROUTE --json', summary: 'Ask; the answer is the job that brings them' },
  ],
  effect: 'write',
  async run(context, { flags: { watch, wait, timeout }, positionals: { route } }) {
    const client = await context.client();
    const idempotencyKey = context.idempotencyKey();
    const { data } = await client.quotes.request({ params: { route_id: route }, idempotencyKey });
    const patience = { timeout_ms: timeout, waitFirst: true };
    if (watch) return watchQuotes(context, route, patience);
    if (wait) return waitForQuotes(context, route, patience);
    const notes = [
      `The providers are being asked. Next: ${commandLine(['quotes', 'list', route], { watch: true })}`,
    ];
    return record(data, fields, { notes });
  },
});
