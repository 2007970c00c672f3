import { moment, readMoment } from '../kit/args/time-arguments.ts';
import { streamFormats } from '../kit/output/formats.ts';
import { drawing } from '../kit/result/result.ts';
import { defineCommand } from '../session/command.ts';
import { instantOf, pastInstantOf } from '../session/service-instants.ts';
import { checkWaiting, waitingOf, watchFlags } from '../waiting/waiting-flags.ts';
import type { Problems } from './today/problems.ts';

/** How long before the period the deliveries that ended in it may have been created: they may be scheduled. */
const scheduled_ms = 7 * 86_400_000;

export const today = defineCommand({
  name: 'today',
  aliases: ['problems'],
  summary: 'Show what needs attention, worst first, each with its next command',
  description: [
    'Orders that wait for another attempt of auto dispatch, parcels with a driver who went off duty, handovers that',
    'wrong PINs have locked, failed deliveries, those canceled by the courier, orders that no courier took, returns,',
    'deliveries without a change for 20 min, late ones, open disputes, webhook endpoints that receive nothing, and',
    'simulated providers that are down. A delivery that was tried again is left out. With --json: counts, items, and the',
    'checks that are unchecked at this service or incomplete. With --watch --json each line is a problem with a type:',
    'problem.current first, then problem.added and problem.solved.',
  ].join('\n'),
  flags: {
    since: moment({ isPast: true, summary: 'Since when deliveries and orders may have ended (default: 1d)' }),
    ...watchFlags('interrupted, as problems appear and are solved'),
  },
  examples: [
    { command: 'waybill today', summary: 'Show what needs attention' },
    { command: 'waybill today --since 8:00', summary: 'Leave out what ended before this morning' },
    { command: 'waybill today --json=counts', summary: 'Print the counts for a status board' },
    { command: 'waybill today --watch', summary: 'Keep it live during a shift' },
  ],
  effect: 'read',
  formats: streamFormats,
  async run(context, { flags }) {
    checkWaiting(context, { watch: flags.watch });
    const { fields } = context.output;
    if (flags.watch && fields !== null)
      (await import('../help/check-line-fields.ts')).checkLineFields('today', fields);
    const { collectProblems } = await import('./today/problems.ts');
    const collect = async () => {
      const ended_after = await pastInstantOf(context, flags.since ?? readMoment('1d'));
      const unchanged_since = await instantOf(context, readMoment('20m'), 'ago');
      const created_after = new Date(Date.parse(ended_after) - scheduled_ms).toISOString();
      return collectProblems(context, { ended_after, created_after, unchanged_since });
    };
    if (flags.watch) {
      const { watchProblems } = await import('./today/watch-problems.ts');
      return watchProblems(context, collect, waitingOf(flags));
    }
    const { problemsRows, problemsText } = await import('./today/watch-problems.ts');
    const { problemData } = await import('./today/problem.ts');
    const problems = await collect();
    const data = { ...problems, items: problems.items.map(problemData) };
    return drawing({
      ...{ data, id: '', rows: problemsRows(problems), notes: notesOf(problems) },
      draw: (show) => problemsText(problems, show),
    });
  },
});

function notesOf({ unchecked, incomplete }: Problems): string[] {
  const missing = `Not checked, as this service does not support it: ${namesOf(unchecked)}.`;
  const cut = `Only the newest records were checked of: ${namesOf(incomplete)}.`;
  return [...(unchecked.length === 0 ? [] : [missing]), ...(incomplete.length === 0 ? [] : [cut])];
}

function namesOf(checks: readonly string[]): string {
  return checks.map((check) => check.replaceAll('_', ' ')).join(', ');
}
