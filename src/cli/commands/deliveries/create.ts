/** `deliveries create`: one delivery or an array of them, which are dispatched at once with `--initiate`. */
import type { Delivery } from '../../../contract/deliveries.ts';
import type { createDelivery } from '../../../contract/delivery-changes.ts';
import type { BodyOf } from '../../../contract/operation.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { lateOkField, lateOkFlag } from '../../flow/agreed-quote.ts';
import { limitWithoutTip, maxCostFlag, warnOfHighLimit } from '../../flow/price-limits.ts';
import { switchFlag, textFlag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { listResult, type Result } from '../../kit/result/result.ts';
import { deliveryColumns } from '../../nouns/delivery.ts';
import {
  createdOrArrived,
  creation,
  creationNotes,
  deliveryNow,
  failedAtOnce,
  unknownQuote,
  warnOfReplacement,
} from '../../nouns/delivery-creation.ts';
import { arrivalFlags } from '../../nouns/delivery-targets.ts';
import { awaitArrival, createWait, isAwaited, type WaitValues } from '../../nouns/delivery-waiting.ts';
import { duplicateRefFlag, guardRefs, noteCreated, type SendUnique } from '../../nouns/order-checks.ts';
import { orderFlags } from '../../nouns/order-flags.ts';
import {
  simulateFlag,
  simulationHeaders,
  sourcedOrders,
  sourceFlags,
  toOrderRequests,
} from '../../nouns/order-input.ts';
import { type FaultNames, refusalAt, refusalOf, sendEach } from '../../nouns/order-sending.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';
import { agreeToInitiate, chargeOf } from './initiate.ts';

type Request = BodyOf<typeof createDelivery>;

export const create = defineCommand({
  name: 'create',
  aliases: ['new', 'add'],
  summary: 'Create a delivery, optionally dispatching it at once',
  description: [
    'Without --initiate the delivery is stored as a request until `waybill deliveries initiate`. The fields come from',
    'flags, --file, stdin (-), or another order or delivery (--like); flags override the others. An array is sent one',
    'delivery at a time and stops at the first error. The exit code is 9 if a delivery failed at once. --wait works',
    'as in deliveries wait, and is skipped if any delivery of an array failed at once. In live mode --initiate must be',
    'confirmed at a prompt, or with --yes and --max-cost; nothing is created above it. A reference that is in use, or',
    'given twice, is treated as in orders create.',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads JSON from stdin', optional: true }) },
  flags: {
    ...orderFlags,
    ...sourceFlags,
    file: { ...sourceFlags.file, summary: 'JSON file with one delivery or an array of deliveries' },
    initiate: switchFlag({ summary: 'Dispatch a courier at once', negatable: true }),
    maxCost: maxCostFlag(undefined, ' of each with --initiate'),
    lateOk: lateOkFlag(),
    quote: textFlag({
      summary: 'Quote to use, from `deliveries quote` or a draft route',
      placeholder: 'QUOTE',
      aliases: ['quote-id'],
    }),
    allowDuplicateRef: duplicateRefFlag,
    simulate: simulateFlag,
    ...arrivalFlags,
    ...paceFlags('30m'),
  },
  examples: [
    {
      command: [
        "waybill deliveries create --pickup-address '43 E Ohio St, Chicago, IL 60611' --pickup-name Grill",
        "--pickup-phone +13125550101 --dropoff-address '233 S Wacker Dr, Chicago, IL 60606'",
        "--dropoff-name 'Joe Diner' --dropoff-phone +13125550142 --item 'Brisket Classic:4:small' --initiate --max-cost 12.50",
      ].join(' '),
      summary: 'Create from flags and dispatch',
    },
    {
      command: 'waybill deliveries create --file delivery.json --quote QUOTE',
      summary: 'Create from a file with a quote; initiate it later',
    },
    {
      command: 'waybill deliveries create --like DELIVERY --initiate --max-cost 12.50 --wait delivered',
      summary: 'Repeat a delivery and wait until it arrives',
    },
  ],
  effect: 'write',
  confirms: true,
  confirmsWhen: 'in live mode',
  ...creation,
  calls: ['deliveries.create', 'deliveries.getDetailed', 'stores.list'],
  answers: ({ one, each, answerOf }) => [
    one('deliveries.create'),
    each(answerOf('deliveries.getDetailed'), 'from an array'),
  ],
  exits: { ...creation.exits, 10: 'some could not be created, or failed at once' },
  errors: [...creation.errors, 'above_max_cost', 'too_late'],
  related: ['deliveries initiate', 'deliveries quote', 'deliveries watch', 'orders create'],
  async run(context, { flags, positionals, given }) {
    checkWaiting(context, { wait: flags.wait !== null });
    const flag_fields = withoutAbsent({
      quote_id: flags.quote,
      initiate: given.has('initiate') ? flags.initiate : undefined,
    });
    const { orders, settings, file, flagged } = await sourcedOrders(
      context,
      { ...flags, ...positionals },
      given,
      'deliveries',
    );
    const where = file ?? 'the delivery';
    if (settings !== null) throw notDeliveries(where);
    await context.client();
    const late_terms = lateOkField(context, flags.lateOk);
    const requests = toOrderRequests(orders, where, 'deliveries').map(
      (request): Request => limited({ ...request, ...flag_fields }, flags.maxCost, late_terms),
    );
    const initiated = initiatedAmong(context, requests, { ...flags, where });
    const unique = await guardRefs(context, requests, { ...flags, isDispatched: initiated.length > 0 });
    await agreeToInitiate(context, { deliveries: initiated, max_cost: flags.maxCost });
    const limit = flags.maxCost === undefined ? [] : ['max_cost'];
    const names = {
      isFromFile: file !== null,
      flagged: [...flagged, ...Object.keys(flag_fields), ...limit, 'late_ok'],
    };
    const sending = { names, headers: simulationHeaders(flags.simulate), unique };
    const deliveries = await createEach(context, requests, sending);
    for (const each of deliveries)
      if (each.status !== 'request') await warnOfHighLimit(context, flags.maxCost, chargeOf(each));
    return creationResult(context, deliveries, flags, requests[0]?.quote_id);
  },
});

/** The requests that are dispatched at once. Throws UsageError for flags that do not fit the requests. */
function initiatedAmong(
  { isTyped }: Context,
  requests: readonly Request[],
  { quote, wait, where }: Pick<WaitValues, 'wait'> & { quote: string | undefined; where: string },
): Request[] {
  if (requests.length > 1 && quote !== undefined)
    throw new UsageError(`--quote applies to one delivery, but ${where} has ${requests.length}.`);
  const initiated = requests.filter((request) => request.initiate === true);
  if (wait !== null && initiated.length < requests.length)
    throw new UsageError('--wait requires --initiate: a stored request has no courier to wait for.');
  if (isTyped('maxCost') && initiated.length === 0)
    throw new UsageError('--max-cost requires --initiate: a stored request costs nothing.');
  return initiated;
}

/** A request that is dispatched, with the maximum less its tip, and `late_ok: false` if no courier may be late. */
function limited(given: Request, max_cost: number | undefined, late_terms: { late_ok?: false }): Request {
  if (given.initiate !== true) return given;
  const request = { ...given, ...late_terms };
  if (max_cost === undefined) return request;
  // A value from a file may be of any type.
  const tip = Number.isInteger(request.tip) ? (request.tip ?? 0) : 0;
  return { ...request, ...withoutAbsent({ max_cost: limitWithoutTip(max_cost, tip) }) };
}

function notDeliveries(where: string): UsageError {
  return new UsageError(`${where} contains the request body of an order.`, {
    hint: 'Give one delivery or an array of deliveries; `waybill orders create` takes { "orders": [...] }.',
  });
}

/** Creates the deliveries one after the other; a refusal names the fields as they were given. */
async function createEach(
  context: Context,
  requests: readonly Request[],
  { names, headers, unique }: { names: FaultNames; headers: Record<string, string>; unique: SendUnique },
): Promise<Delivery[]> {
  const client = await context.client();
  return sendEach(context, requests, {
    noun: 'deliveries',
    columns: deliveryColumns,
    send: async (body, idempotencyKey) => {
      const answer = await unique((check) =>
        client.deliveries.create({ body: { ...body, ...check }, headers, idempotencyKey }),
      );
      if (answer.replayed) noteCreated(context, answer.data.id);
      warnOfReplacement(context, { quote_id: body.quote_id, fee: null }, answer.data);
      return deliveryNow(context, answer);
    },
    refusal: (error, index) =>
      unknownQuote(
        requests.length === 1 ? refusalOf(error, names, 0) : refusalAt(error, names, `deliveries[${index}]`),
      ),
  });
}

/** The created deliveries, awaited if that was asked for. Exit 9 if all failed at once, and 10 if some did. */
async function creationResult(
  context: Context,
  deliveries: readonly Delivery[],
  flags: WaitValues,
  quote_id: string | undefined,
): Promise<Result> {
  const [only] = deliveries;
  if (deliveries.length === 1 && only !== undefined)
    return createdOrArrived(context, only, flags, { quote_id, fee: null });
  const wait = createWait(context, flags);
  if (isAwaited(wait, deliveries))
    return awaitArrival(context, deliveries, wait, (last) =>
      listResult({ data: last, columns: deliveryColumns }),
    );
  const failed = deliveries.filter(({ status }) => status === 'failed');
  const answer = listResult({ data: deliveries, columns: deliveryColumns });
  if (failed.length > 0 && context.output.json)
    throw failedAtOnce(context, failed, answer, null, deliveries.length);
  const notes = failed.flatMap((delivery) => creationNotes(context, delivery).slice(0, 1));
  return {
    ...answer,
    notes: [...notes, phrase`Next: ${invocation('deliveries list')}`],
    ...(failed.length === 0 ? {} : { exit: failed.length === deliveries.length ? 9 : 10 }),
  };
}
