/**
 * `deliveries cancel`. One: its terms are read, agreed to, and it is canceled (`cancelOne`); --price only shows them
 * (`showTerms`). Several (`cancel-several.ts`): `runBulk` gets the fee of each, asks once about the total, and cancels
 * them in sequence.
 */
import { ifSupported } from '../../../client/errors.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import { beforePickupStatuses, deliveryStatuses } from '../../../contract/vocabulary.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { dollars } from '../../../domain/money.ts';
import { availableSteps } from '../../errors/error-codes.ts';
import { choiceFlag, moneyFlag, switchFlag, textFlag } from '../../kit/args/flags.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { invocation, phrase, type Text, timePart } from '../../kit/result/message.ts';
import { type Column, type Result, recordResult, toCell } from '../../kit/result/result.ts';
import { stepShape } from '../../kit/result/shape.ts';
import {
  agreedStep,
  agreeToTerms,
  backText,
  canceledFee,
  canceledText,
  cancellationTerms,
  knownFee,
  notCancelable,
} from '../../nouns/cancellation.ts';
import { deliverySummary, enteredStatusAt } from '../../nouns/delivery.ts';
import { tellSteps } from '../../nouns/delivery-steps.ts';
import { foundBy } from '../../nouns/find-delivery.ts';
import { storeZone } from '../../nouns/order.ts';
import { resendSteps } from '../../nouns/retry-steps.ts';
import { type Context, defineCommand, type FlagValues } from '../../session/command.ts';
import { runBulk } from './bulk.ts';
import { bulkShape } from './bulk-rows.ts';
import {
  bulkText,
  checkNarrowing,
  checkSelection,
  findOne,
  isBulk,
  oneOrSelection,
  selectionFlags,
} from './bulk-selection.ts';
import { bulkCancel } from './cancel-several.ts';

const wheres = ['late', 'stuck', 'not_picked_up', 'initial', 'in_transit'] as const;

const cancelFlags = {
  reason: textFlag({ summary: 'Reason, stored with the delivery' }),
  maxFee: moneyFlag({ summary: 'Maximum cancellation fee in dollars, such as 5.00' }),
  price: switchFlag({ summary: 'Only show the cancellation fee', aliases: ['dry-price'] }),
  ifStatus: choiceFlag({
    choices: deliveryStatuses,
    summary: 'Only if it has this status now',
  }),
  operator: switchFlag({ summary: 'Cancel as the service operator (requires an admin key)' }),
  ...selectionFlags(wheres),
};

export const cancel = defineCommand({
  name: 'cancel',
  aliases: ['abort'],
  summary: 'Cancel a delivery',
  description: [
    `${foundBy} The cancellation fee is shown first and must be confirmed at a prompt or with --yes. If it is more`,
    'than --max-fee, nothing is canceled and the exit code is 6. --price only shows the fee. What was canceled already',
    'by this account is exit 0.',
    '',
    bulkText,
  ].join('\n'),
  positionals: { delivery: oneOrSelection(['request', ...beforePickupStatuses]) },
  flags: cancelFlags,
  meantByWord: (_, [delivery = 'DELIVERY', ...words]) => {
    const where = wheres.find((name) => words.includes(name));
    if (where !== undefined) return invocation('deliveries cancel', [], { where, dryRun: true });
    const isReason = words.every((word) => !/\d/.test(word));
    return isReason ? invocation('deliveries cancel', [delivery], { reason: words.join(' ') }) : null;
  },
  examples: [
    {
      command: "waybill deliveries cancel DELIVERY --reason 'Ordered twice'",
      summary: 'Show the fee, then confirm',
    },
    { command: 'waybill deliveries cancel DELIVERY --yes --max-fee 5.00', summary: 'In a script' },
    { command: 'waybill deliveries cancel DELIVERY --price', summary: 'Show the current fee' },
    {
      command: 'waybill deliveries cancel --where not_picked_up --store STORE --dry-run',
      summary: 'List what can be canceled of one store with its price; without --dry-run it is done',
    },
    {
      command: 'waybill deliveries cancel --from ids.txt --yes --max-fee 10',
      summary: 'Cancel the deliveries of a file',
    },
  ],
  effect: 'write',
  confirms: (given) => !given.has('price'),
  calls: [
    'deliveries.cancel',
    'deliveries.cancellation',
    'deliveries.listDetailed',
    'charges.list',
    'account.get',
  ],
  answers: (of) => [
    of.one(
      of.withFields(
        {
          ...{ cancellation_fee: 'integer', given_back: 'integer: what was refunded, less that fee' },
          next: of.listOf(stepShape),
        },
        of.answerOf('deliveries.cancel'),
      ),
    ),
    of.one(
      of.withFields(
        { cancellation_fee: of.orNull('integer'), given_back: of.orNull('integer') },
        of.answerOf('deliveries.cancellation'),
      ),
      'with --price',
    ),
    of.each(bulkShape(of), 'with --from or --where'),
  ],
  exits: { 10: 'some could not be canceled' },
  errors: ['above_max_fee', 'fee_not_agreed', 'some_not_changed'],
  related: ['deliveries explain', 'deliveries retry', 'orders cancel'],
  async run(context, { flags, positionals }) {
    const { reason, maxFee, price, operator, ifStatus } = flags;
    checkNarrowing(flags);
    if (positionals.delivery === undefined || isBulk(flags)) {
      checkSelection(flags, {
        'A delivery': positionals.delivery !== undefined,
        '--price': price,
        '--if-status': ifStatus !== undefined,
        '--operator': operator,
      });
      return runBulk(context, flags, bulkCancel(context, { reason, max_fee: maxFee }));
    }
    const deliveryid = await findOne(context, positionals.delivery, invocation('deliveries cancel'), wheres);
    return price ? showTerms(context, deliveryid) : cancelOne(context, deliveryid, flags);
  },
});

type CancelFlags = Pick<FlagValues<typeof cancelFlags>, 'reason' | 'maxFee' | 'operator' | 'ifStatus'>;

/** Shows the price of canceling. Exit 6 if the delivery cannot be canceled; programs find the reason in the error. */
async function showTerms(context: Context, deliveryid: string): Promise<Result> {
  const client = await context.client();
  const { data: terms } = await client.deliveries.cancellation({ params: { deliveryid } });
  const { cancelable, fee, refund } = terms;
  const isAllowed = cancelable && (await mayWrite(context));
  const cancellation_fee = knownFee(terms);
  const given_back = cancellation_fee === null ? null : refund - cancellation_fee;
  const { when: _, ...agreed } = agreedStep(invocation('deliveries cancel', [deliveryid]), terms);
  const cost = `Canceling costs ${dollars(fee)}: ${backText(fee, refund)}.`;
  const isKnown = cancelable && cancellation_fee !== null;
  const notes = isKnown ? [cost, ...(isAllowed ? [phrase`Next: ${agreed}`] : [])] : [];
  const answer = recordResult({ ...terms, cancellation_fee, given_back }, termsFields, { notes });
  if (cancelable) return answer;
  if (context.output.json) throw notCancelable(terms, { answer });
  return { ...answer, exit: 6 };
}

/** Whether the API key has write permission; true if the service does not say. False with --json, where no command is suggested. */
async function mayWrite({ client, output }: Context): Promise<boolean> {
  if (output.json) return false;
  const account = await ifSupported((await client()).account.get(), null);
  return account?.data.permission !== 'read';
}

/** `fee` is 0 where it is not known. */
type ShownTerms = Cancellation & { cancellation_fee: number | null; given_back: number | null };

const termsMoney: readonly Column<ShownTerms>[] = [
  { field: 'fee', header: 'Costs', kind: 'money', value: knownFee },
  { field: 'refund', header: 'Refund before that', kind: 'money' },
  { field: 'given_back', header: 'You get back', kind: 'money' },
];

/** People see no amounts of a cancellation that is not possible. */
const termsFields: readonly Column<ShownTerms>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id' },
  { field: 'cancelable', header: 'Can be canceled', kind: 'text' },
  { field: 'reason', header: 'Why not', kind: 'text' },
  ...termsMoney.flatMap((column): Column<ShownTerms>[] => [
    { ...column, only: 'programs' },
    { ...column, only: 'people', value: (terms) => (terms.cancelable ? toCell(column, terms) : null) },
  ]),
];

async function cancelOne(context: Context, deliveryid: string, flags: CancelFlags): Promise<Result> {
  const { reason, operator, ifStatus } = flags;
  const client = await context.client();
  const params = { deliveryid };
  const terms = await cancellationTerms(context, deliveryid);
  // With a key the service repeats its first response.
  const isRepeatable = !operator && ifStatus === undefined && context.globals.idempotencyKey === undefined;
  if (!terms.cancelable && isRepeatable) {
    const { data: found } = await client.deliveries.get({ params });
    if (found.status === 'customer_canceled') return canceledBefore(context, found);
  }
  await agreeToCancel(context, terms, flags);
  const { data } = await client.deliveries.cancel({
    params,
    body: { ...withoutAbsent({ reason, if_status: ifStatus }), ...(operator ? { operator } : {}) },
    idempotencyKey: context.idempotencyKey(),
  });
  const charged = operator ? { fee: 0, fee_unknown: false } : terms;
  const cancellation_fee = await canceledFee(context, data, charged);
  return canceledResult(context, data, cancellation_fee, canceledText(data, cancellation_fee, charged));
}

/** Has a cancellation confirmed. An operator is not bound by the courier's terms and pays no fee. */
async function agreeToCancel(
  context: Context,
  terms: Cancellation,
  { reason, maxFee, operator, ifStatus }: CancelFlags,
): Promise<void> {
  const delivery = await deliveryToName(context, terms.delivery_id);
  const what = delivery === null ? terms.delivery_id : nameOf(delivery);
  if (!operator) {
    const command = invocation('deliveries cancel', [terms.delivery_id], { reason, ifStatus });
    await agreeToTerms(context, terms, { what, max_fee: maxFee, command });
  } else if (!context.globals.dryRun) {
    const isCarried = delivery?.status === 'enroute_to_return';
    const refund = isCarried
      ? 'It was carried: what was charged stays.'
      : 'The full amount paid is refunded.';
    await context.confirm(`Cancel ${what} as the operator? ${refund}`);
  }
}

/** A repeated command reaches what the first one did: nothing is changed, and nothing is wrong. */
async function canceledBefore(context: Context, delivery: Delivery): Promise<Result> {
  const at = timePart(enteredStatusAt(delivery), 'at', storeZone(delivery));
  const fee = await canceledFee(context, delivery, { fee: 0 });
  return canceledResult(context, delivery, fee, phrase`${delivery.id} was canceled already, ${at}.`);
}

function canceledResult(context: Context, data: Delivery, cancellation_fee: number, text: Text): Result {
  const steps = availableSteps([...tellSteps(data), ...resendSteps(data)], context.has);
  const given_back = data.refunded_amount - cancellation_fee;
  const next = steps.map((step) => context.stepObject(step));
  const notes = [text, ...steps.map(({ when, ...line }) => phrase`To ${when}: ${line}`)];
  const canceled = { ...data, cancellation_fee, given_back, next };
  return recordResult(canceled, canceledFields, { notes: context.output.json ? [] : notes });
}

/** `refunded_amount` is what was refunded before the fee was taken. */
const canceledFields: readonly Column<Delivery & { cancellation_fee: number; given_back: number }>[] = [
  ...deliverySummary(),
  { field: 'cancellation_fee', header: 'Cancellation fee', kind: 'money' },
  { field: 'given_back', header: 'You get back', kind: 'money' },
];

/** The delivery that a prompt names; null if there is no prompt. */
async function deliveryToName(context: Context, deliveryid: string): Promise<Delivery | null> {
  if (!context.interactive || context.globals.yes) return null;
  const client = await context.client();
  return (await client.deliveries.get({ params: { deliveryid } })).data;
}

/** `dlv_1 for Joe Diner`, so that the wrong delivery is noticed. */
function nameOf({ id, dropoffs }: Delivery): string {
  const name = dropoffs[0]?.dropoff_name ?? '';
  return name === '' ? id : `${id} for ${oneLine(name)}`;
}
