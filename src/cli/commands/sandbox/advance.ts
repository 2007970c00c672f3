import type { ClockAdvance, ClockEvent } from '../../../contract/sandbox.ts';
import { deliveryStatuses } from '../../../contract/vocabulary.ts';
import { BadValue, type Flag, flag, readChoice, text } from '../../kit/args/flags.ts';
import { moment, seconds } from '../../kit/args/time-arguments.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';
import { document, list, type Result } from '../../kit/result/result.ts';
import { type Context, defineCommand, type Input } from '../../session/command.ts';
import { instantOf } from '../../session/service-instants.ts';
import { findDeliveryId } from '../deliveries/find-delivery.ts';
import { endOf, type MoveEnd } from './advance-end.ts';
import { advances, type Move, merged } from './advances.ts';
import { clockEventColumns } from './clock-columns.ts';

const flags = {
  by: seconds({ summary: 'Advance by a duration, such as 10m or 2h30m', maximum: 31_536_000 }),
  to: moment({ summary: 'Advance to a time, such as 2h from now' }),
  until: untilFlag(),
  next: flag({ summary: 'Advance to the next due task' }),
  drain: flag({ summary: 'Advance until nothing is due' }),
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
  flags,
  examples: [
    { command: 'waybill sandbox advance --by 10m', summary: 'Advance ten minutes' },
    { command: 'waybill sandbox advance --until DELIVERY:delivered', summary: 'Advance until delivered' },
    { command: 'waybill sandbox advance --drain --json', summary: 'Advance until nothing is due' },
  ],
  effect: 'write',
  async run(context, { flags }) {
    const move = await moveOf(context, flags);
    if (context.output.format === 'json') {
      const answer = await merged(advances(context, move));
      const { notes, failure } = await endOf(context, move, answer);
      if (failure === null) return document(answer, { notes });
      throw new Failure(failure.exit, failure.code, failure.message, {
        ...failure.details,
        answer: document(answer),
      });
    }
    return streamOf(context, move);
  },
});

/** Streams the events as they occur, then the time. */
function streamOf(context: Context, move: Move): Result {
  let end: MoveEnd = { notes: [], exit: 0, failure: null };
  async function* events(): AsyncGenerator<ClockEvent> {
    let steps = 0;
    let last: ClockAdvance | null = null;
    for await (const answer of advances(context, move)) {
      steps += answer.steps;
      last = answer;
      yield* answer.events;
    }
    if (last !== null) end = await endOf(context, move, { ...last, steps });
  }
  return list({
    data: events(),
    columns: clockEventColumns(() => context.serviceNow(), context.output.times),
    empty: 'No events resulted.',
    notes: () => (context.output.json && end.failure !== null ? [] : end.notes),
    exit: () => {
      if (context.output.json && end.failure !== null) throw end.failure;
      return end.exit;
    },
  });
}

type Flags = Input<typeof flags, Record<never, never>>['flags'];

/** Returns the one requested move; UsageError for none or several. */
async function moveOf(context: Context, { by, to, until, next, drain }: Flags): Promise<Move> {
  const moves = [
    ...(by === undefined ? [] : [{ by }]),
    ...(to === undefined ? [] : [{ to: await instantOf(context, to, 'ahead') }]),
    ...(until === undefined ? [] : [{ until }]),
    ...(next ? [{ next }] : []),
    ...(drain ? [{ drain }] : []),
  ];
  const [only] = moves;
  if (moves.length === 1 && only !== undefined) return resolveDelivery(context, only);
  const choices = ['--by', '--to', '--until', '--next', '--drain'];
  throw new UsageError(moves.length === 0 ? 'Specify how far to advance.' : 'Use exactly one flag.', {
    code: moves.length === 0 ? 'missing_input' : 'usage',
    choices,
    next: [{ ...invocation('sandbox advance', ['--by', '10m']), when: 'for example' }],
  });
}

/** Replaces the reference or phone number in a move by the delivery's ID. */
async function resolveDelivery(context: Context, move: Move): Promise<Move> {
  if (!('until' in move)) return move;
  const { delivery_id, status } = move.until;
  return { until: { delivery_id: await findDeliveryId(context, delivery_id), status } };
}

function untilFlag(): Flag<{ delivery_id: string; status: (typeof deliveryStatuses)[number] } | undefined> {
  const options = { summary: 'Advance until a delivery reaches a status', placeholder: 'DELIVERY:STATUS' };
  const read = (texts: readonly string[]) => {
    const [, delivery_id, status] = /^(.+):([^:]*)$/.exec(texts.at(-1) ?? '') ?? [];
    if (delivery_id === undefined || status === undefined)
      throw new BadValue(`must be DELIVERY:STATUS, such as dlv_…:delivered, not "${texts.at(-1)}"`);
    return { delivery_id, status: readChoice(status, deliveryStatuses) };
  };
  return { ...text(options), read, absent: () => undefined };
}
