/**
 * `sandbox clock` and `sandbox advance`: the clock of the service, and the events that result from moving it. A service
 * answers a long move with its first part and `more`: `advanceClock` asks for the rest until the target is reached.
 */
import type { Delivery } from '../../../contract/deliveries.ts';
import type { ClockAdvance, ClockEvent, ClockRecord } from '../../../contract/sandbox.ts';
import { clockModes, type DeliveryStatus, deliveryStatuses } from '../../../contract/vocabulary.ts';
import { hasReached, isEnded } from '../../../domain/delivery-states.ts';
import { BadValue, parsedTextFlag, readChoice, switchFlag } from '../../kit/args/flags.ts';
import { BadOutcome, Failure, Interrupted, StillPending, UsageError } from '../../kit/errors/failure.ts';
import {
  lengthText,
  otherDay,
  styledTime,
  type TimeStyle,
  timeOfDay,
  timesInNotes,
} from '../../kit/output/times.ts';
import {
  type Invocation,
  invocation,
  joinedTexts,
  phrase,
  type Text,
  timePart,
} from '../../kit/result/message.ts';
import {
  type Column,
  documentResult,
  idlessFormats,
  isForPeople,
  listResult,
  type Result,
  recordResult,
} from '../../kit/result/result.ts';
import { findDeliveryId } from '../../nouns/find-delivery.ts';
import { type Context, choicePositional, defineCommand, type FlagValues } from '../../session/command.ts';
import { inShownZone, shownZone } from '../../session/list-view.ts';
import { toApiInstant } from '../../session/service-times.ts';
import { momentFlag } from '../../session/time-arguments.ts';
import { secondsFlag } from '../../session/typed-lengths.ts';

const clockFields: Column<ClockRecord>[] = [
  { field: 'mode', header: 'Mode', kind: 'text' },
  { field: 'rate', header: 'Rate', kind: 'count' },
  { field: 'now', header: 'Now', kind: 'instant' },
  { field: 'next_due_at', header: 'Next due', kind: 'time' },
];

export const clock = defineCommand({
  name: 'clock',
  aliases: ['time'],
  summary: 'Show or set the clock of the service',
  description: [
    'real: real time. scaled: faster or slower (--rate 60: a minute per second). manual: stopped until `waybill',
    'sandbox advance`. The clock continues from its current time and never moves back. Applies to test mode only: live',
    'mode always uses real time. Setting the clock requires an admin key.',
  ].join('\n'),
  positionals: {
    mode: choicePositional({
      choices: clockModes,
      otherNames: { manual: 'stop pause freeze', real: 'start resume' },
      summary: 'New clock mode',
      optional: true,
    }),
  },
  flags: {
    rate: {
      ...parsedTextFlag(readRate, {
        summary: 'With scaled: clock seconds per real second',
        placeholder: 'RATE',
      }),
      defaultText: '60',
    },
  },
  examples: [
    { command: 'waybill sandbox clock', summary: 'Show the time and the next due task' },
    { command: 'waybill sandbox clock scaled --rate 60', summary: 'Run at a minute per second' },
    { command: 'waybill sandbox clock manual', summary: 'Stop the clock' },
  ],
  effect: 'write',
  formats: idlessFormats,
  calls: ['clock.get', 'clock.set', 'deliveries.list'],
  answers: ({ one }) => [one('clock.get')],
  related: ['sandbox advance'],
  async run(context, { flags, positionals }) {
    const mode = positionals.mode ?? (flags.rate === undefined ? undefined : 'scaled');
    if (flags.rate !== undefined && mode !== 'scaled')
      throw new UsageError('--rate requires the scaled mode.');
    const data = mode === undefined ? await getClock(context) : await setClock(context, mode, flags.rate);
    return recordResult(data, await inShownZone(context, clockFields), {
      notes: notesOn(context, data.next_due_at),
    });
  },
});

async function getClock(context: Context): Promise<ClockRecord> {
  const client = await context.client({ reads: true });
  return (await client.clock.get()).data;
}

async function setClock(
  context: Context,
  mode: ClockRecord['mode'],
  rate: number | undefined,
): Promise<ClockRecord> {
  const client = await context.client();
  const body = rate === undefined ? { mode } : { mode, rate };
  return (await client.clock.set({ body, idempotencyKey: context.idempotencyKey() })).data;
}

/** The clocks differ if they are further apart than this: less is the latency of the response. */
const max_latency_ms = 2_000;

function notesOn(context: Context, next_due_at: string | null): string[] {
  const ahead = context.serviceNow() - context.now();
  return [
    ...(Math.abs(ahead) < max_latency_ms ? [] : [`It is ${apartText(ahead)}.`]),
    ...(next_due_at === null ? ['No scheduled work.'] : []),
  ];
}

/** How many seconds pass in one: `--rate 60`, `--rate 0.5`. */
function readRate(given: string): number {
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(given) ? Number(given) : 0;
  if (value >= 0.001 && value <= 86_400) return value;
  throw new BadValue(`must be a number from 0.001 to 86400, not "${given}"`);
}

/** A clock advance in the form of the contract. */
type Advance =
  | { by: number }
  | { to: string }
  | { until: { delivery_id: string; status: DeliveryStatus } }
  | { next: true }
  | { drain: true };

const advanceFlags = {
  by: secondsFlag({ summary: 'Advance by a duration, such as 10m or 2h30m', maximum: 31_536_000 }),
  to: momentFlag({ summary: 'Advance to a time, such as 2h from now' }),
  until: parsedTextFlag(readUntil, {
    summary: 'Advance until a delivery reaches a status',
    placeholder: 'DELIVERY:STATUS',
  }),
  next: switchFlag({ summary: 'Advance to the next due task' }),
  drain: switchFlag({ summary: 'Advance until nothing is due' }),
};

export const advance = defineCommand({
  name: 'advance',
  aliases: ['forward', 'skip'],
  summary: 'Advance the clock and show the resulting events',
  description: [
    'Requires exactly one of its flags. Due work runs in order, each task at its own time, in any clock mode. With',
    '--until the exit code is 9 if the delivery ends without reaching the status, and 8 if nothing more is due before',
    'it does. Only test records are affected. Requires an admin key.',
  ].join('\n'),
  flags: advanceFlags,
  meantByWord: (by) => (/^\d/.test(by) ? invocation('sandbox advance', [], { by }) : null),
  examples: [
    { command: 'waybill sandbox advance --by 10m', summary: 'Advance ten minutes' },
    { command: 'waybill sandbox advance --until DELIVERY:delivered', summary: 'Advance until delivered' },
    { command: 'waybill sandbox advance --drain --json', summary: 'Advance until nothing is due' },
  ],
  effect: 'write',
  calls: ['clock.advance', 'clock.get', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('clock.advance')],
  exits: {
    8: 'with --until: nothing more is due before that status',
    9: 'with --until: the delivery ended without reaching the status',
  },
  errors: ['still_pending', 'delivery_STATUS'],
  related: ['sandbox clock', 'deliveries explain'],
  async run(context, { flags }) {
    const move = await readAdvance(context, flags);
    if (context.output.format === 'json') {
      const answer = await mergeResponses(advanceClock(context, move));
      const { notes, failure } = await reportEnd(context, move, answer);
      if (failure === null) return documentResult(answer, { notes });
      throw new Failure(failure.exit, failure.code, failure.message, {
        ...failure.details,
        answer: documentResult(answer),
      });
    }
    return streamEvents(context, move);
  },
});

async function streamEvents(context: Context, move: Advance): Promise<Result> {
  const zone = await shownZone(context);
  let end: AdvanceEnd = { notes: [], failure: null };
  const { format, quiet } = context.output;
  // A format that a script asks for has them all the same.
  const isSilent = quiet && (isForPeople(format) || format === 'tsv');
  const max_shown = format === 'tsv' && !context.isTyped('output') ? 20 : Number.POSITIVE_INFINITY;
  let shown = 0;
  let since: string | undefined;
  async function* events(): AsyncGenerator<ClockEvent> {
    let last: ClockAdvance | null = null;
    for await (const answer of advanceClock(context, move)) {
      last = answer;
      if (isSilent) continue;
      since ??= answer.events[0]?.created_at;
      yield* answer.events.slice(0, Math.max(0, max_shown - shown));
      shown += answer.events.length;
    }
    if (last !== null) end = await reportEnd(context, move, last);
  }
  return listResult({
    data: events(),
    columns: clockEventColumns(() => context.serviceNow(), context.output.times, zone),
    empty: 'No events resulted.',
    notes: () => [
      ...(shown > max_shown
        ? [
            phrase`${max_shown} of ${shown} events are shown. All: ${invocation('events list', [], { since, all: true })}`,
          ]
        : []),
      ...(context.output.json && end.failure !== null ? [] : end.notes),
    ],
    exit: () => {
      if (context.output.json && end.failure !== null) throw end.failure;
      return end.failure?.exit ?? 0;
    },
  });
}

/** Returns the one requested move; UsageError for none or several. */
async function readAdvance(
  context: Context,
  { by, to, until, next, drain }: FlagValues<typeof advanceFlags>,
): Promise<Advance> {
  const given = [
    ...(by === undefined ? [] : [{ by }]),
    ...(to === undefined ? [] : [{ to: await toApiInstant(context, to, 'ahead') }]),
    ...(until === undefined ? [] : [{ until }]),
    ...(next ? [{ next }] : []),
    ...(drain ? [{ drain }] : []),
  ];
  const [only] = given;
  if (given.length === 1 && only !== undefined) return resolveDelivery(context, only);
  const choices = ['--by', '--to', '--until', '--next', '--drain'];
  throw new UsageError(given.length === 0 ? 'Specify how far to advance.' : 'Use exactly one flag.', {
    code: given.length === 0 ? 'missing_input' : 'usage',
    choices,
    next: [{ ...invocation('sandbox advance', ['--by', '10m']), when: 'for example' }],
  });
}

/** Replaces the reference or phone number in a move by the delivery's ID. */
async function resolveDelivery(context: Context, move: Advance): Promise<Advance> {
  if (!('until' in move)) return move;
  const { delivery_id, status } = move.until;
  return { until: { delivery_id: await findDeliveryId(context, delivery_id), status } };
}

/** Reads `dlv_1:delivered`. Throws BadValue. */
function readUntil(given: string): { delivery_id: string; status: DeliveryStatus } {
  const [, delivery_id, status] = /^(.+):([^:]*)$/.exec(given) ?? [];
  if (delivery_id === undefined || status === undefined)
    throw new BadValue(`must be DELIVERY:STATUS, such as dlv_…:delivered, not "${given}"`);
  return { delivery_id, status: readChoice(status, deliveryStatuses) };
}

/** The notes at the end of an advance, and the failure if a delivery did not reach the status that was asked for. */
interface AdvanceEnd {
  notes: Text[];
  failure: Failure | null;
}

/** Reports the time, and with `until` whether the delivery reached its target status. */
async function reportEnd(context: Context, move: Advance, answer: ClockAdvance): Promise<AdvanceEnd> {
  const notes: Text[] = [phrase`${await clockText(answer.now, context)}; ${workText(answer)} on the way.`];
  if (!('until' in move)) return { notes, failure: null };
  const client = await context.client();
  const { data } = await client.deliveries.get({ params: { deliveryid: move.until.delivery_id } });
  const next = phrase`See it: ${invocation('deliveries get', [data.id])}`;
  if (hasHadStatus(data, move.until.status)) return { notes: [...notes, next], failure: null };
  const isOver = isEnded(data.status);
  const why = isOver ? '' : ', and nothing more is due';
  const text = `${data.id} is ${data.status}, not ${move.until.status}${why}.`;
  const command = invocation('deliveries explain', [data.id]);
  const details = { hint: joinedTexts(notes, ' '), next: [{ ...command, when: 'see what happened' }] };
  const failure = isOver
    ? new BadOutcome(text, { ...details, code: `delivery_${data.status}` })
    : new StillPending(text, details);
  return { notes: [...notes, phrase`${text} ${next}`], failure };
}

function workText({ steps, webhooks_sent: sent = 0 }: ClockAdvance): string {
  if (steps === 0 && sent === 0) return 'nothing was due';
  const ran = steps === 1 ? ['1 due task ran'] : [`${steps.toLocaleString('en')} due tasks ran`];
  const posted = sent === 1 ? '1 webhook was sent' : `${sent.toLocaleString('en')} webhooks were sent`;
  return [...(steps === 0 ? [] : ran), ...(sent === 0 ? [] : [posted])].join(' and ');
}

/** Couriers skip statuses, so a later one also counts. */
function hasHadStatus({ status, status_history }: Delivery, wanted: Delivery['status']): boolean {
  return hasReached(status, wanted) || status_history.some((entry) => entry.status === wanted);
}

/** Advances the clock in as many requests as needed, and yields each response; its counts are those of all so far. */
async function* advanceClock(context: Context, move: Advance): AsyncGenerator<ClockAdvance> {
  const client = await context.client();
  const target = await targetTimeOf(context, move);
  let body = move;
  let steps = 0;
  let webhooks_sent = 0;
  for (let calls = 1; ; calls += 1) {
    context.setInterruptionText(underWayText(calls, move, target));
    const progress = await context.progress('Moving the clock');
    const idempotencyKey = context.idempotencyKey(`advance-${calls}`);
    const { data } = await client.clock.advance({ body, idempotencyKey }).finally(() => progress.stop());
    context.setInterruptionText(
      phrase`${await clockText(data.now, context)}. Go on: ${continueCommand(move, target)}`,
    );
    steps += data.steps;
    webhooks_sent += data.webhooks_sent ?? 0;
    yield { ...data, steps, ...(webhooks_sent > 0 && { webhooks_sent }) };
    if (!data.more || 'next' in move || hasReachedTime(data, target)) return;
    if (context.signal.aborted) throw new Interrupted();
    body = target === null ? move : { to: target };
  }
}

/** The target time; null if it depends on the events. */
async function targetTimeOf(context: Context, move: Advance): Promise<string | null> {
  if ('to' in move) return move.to;
  if (!('by' in move)) return null;
  const client = await context.client();
  const { data } = await client.clock.get();
  return new Date(Date.parse(data.now) + move.by * 1000).toISOString();
}

/** In modes other than manual, time passes between two requests, and the clock never goes back. */
function hasReachedTime({ now }: ClockAdvance, target: string | null): boolean {
  return target !== null && Date.parse(now) >= Date.parse(target);
}

function underWayText(calls: number, move: Advance, target: string | null): Text {
  const on = calls === 1 ? '' : phrase` Go on: ${continueCommand(move, target)}`;
  const where = invocation('sandbox clock');
  return phrase`The service finishes the move that it started. To see the clock: ${where}.${on}`;
}

function continueCommand(move: Advance, target: string | null): Invocation {
  return invocation('sandbox advance', [], target === null ? flagsFor(move) : { to: target });
}

function flagsFor(move: Advance): Record<string, string | boolean> {
  if ('until' in move) return { until: `${move.until.delivery_id}:${move.until.status}` };
  return { next: 'next' in move, drain: 'drain' in move };
}

/** One response for several: all events, and the last clock and counts. */
async function mergeResponses(answers: AsyncIterable<ClockAdvance>): Promise<ClockAdvance> {
  const all: ClockEvent[] = [];
  let last: ClockAdvance | null = null;
  for await (const answer of answers) {
    for (const event of answer.events) all.push(event);
    last = answer;
  }
  if (last === null) throw new TypeError('the clock did not answer');
  return { ...last, events: all };
}

/** Columns of the events of an advance: people see the time of day, on a line that fits a narrow terminal. */
function clockEventColumns(
  serviceNow: () => number,
  style: TimeStyle,
  zone: string | null,
): Column<ClockEvent>[] {
  const isLocal = style === null || style === 'local';
  return [
    { field: 'id', header: 'ID', kind: 'id', only: 'programs' },
    { field: 'created_at', header: 'At', kind: 'time', only: 'programs' },
    {
      field: 'created_at',
      header: 'Day',
      kind: 'text',
      only: 'people',
      unlessEmpty: true,
      spare: 2,
      value: ({ created_at }) => (isLocal ? otherDay(created_at, serviceNow(), zone) : ''),
    },
    {
      field: 'created_at',
      header: 'At',
      kind: 'text',
      only: 'people',
      value: ({ created_at }) => styledTime(created_at, serviceNow(), style, timeOfDay, zone),
    },
    { field: 'delivery_id', header: 'Delivery', kind: 'text' },
    { field: 'status', header: 'Status', kind: 'status' },
    { field: 'type', header: 'Event', kind: 'text', spare: 1 },
    { field: 'sequence', header: 'Number', kind: 'count', wide: true },
  ];
}

/**
 * Formats the time of a sandbox clock, with its distance from this machine's clock, as an age by its own time would
 * always be zero.
 */
async function clockText(now: string, context: Context): Promise<Text> {
  if (timesInNotes(context.output) === 'relative')
    return `The clock is ${apartText(Date.parse(now) - context.now())}`;
  return phrase`The clock is at ${timePart(now, 'none', await shownZone(context))}`;
}

/** `2 h ahead of this machine` */
function apartText(ahead_ms: number): string {
  return `${lengthText(Math.abs(ahead_ms))} ${ahead_ms > 0 ? 'ahead of' : 'behind'} this machine`;
}
