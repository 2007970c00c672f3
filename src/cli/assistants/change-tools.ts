/** The tools `retry_delivery`, `preview_cancellation`, `cancel_delivery` and `advance_sandbox`. */
import * as z from 'zod';
import { type DeliveryStatus, deliveryStatuses } from '../../contract/vocabulary.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { getRetryTerms, retryBody } from '../flow/retry-terms.ts';
import { Failure } from '../kit/errors/failure.ts';
import { cancellationTerms } from '../nouns/cancellation.ts';
import { readUnreturnedText } from '../nouns/courier-contact.ts';
import { checkProvider } from '../nouns/find-by-name.ts';
import { findDelivery } from '../nouns/find-delivery.ts';
import type { Context } from '../session/command.ts';
import { adds, defineTool, type OfferedTool, readsOnly, spends } from './define-tool.ts';
import { deliveryText, knownCents, summarizeDelivery, summarySchema } from './lookup-tools.ts';
import { allow_duplicate_ref, cents, maxCost } from './shipment-schema.ts';
import { checkSpending, type SpendingLimit } from './shipments.ts';

export function changeTools(context: Context, limits: SpendingLimit): OfferedTool[] {
  return [retryTool(context, limits), ...cancelTools(context), advanceTool(context)];
}

const retryInput = z.object({
  delivery: deliveryText,
  max_cost: maxCost,
  preference: z.enum(['cheapest', 'fastest']).default('cheapest'),
  provider: z.string().min(1).optional().describe('Only this provider'),
  exclude_provider: z.string().min(1).optional().describe('Any provider but this one, or these: a,b'),
  allow_duplicate_ref,
  after_pickup: z
    .boolean()
    .optional()
    .describe('True if the user agreed to another parcel, as the courier may still have the first one'),
});

function retryTool(context: Context, limits: SpendingLimit): OfferedTool {
  return defineTool({
    name: 'retry_delivery',
    title: 'Retry a delivery',
    description:
      'Dispatches the order of a delivery that failed or was canceled once more, with fresh quotes. It makes a new delivery, which charges its price; the earlier one does not change. Nothing is dispatched above max_cost.',
    input: retryInput,
    output: z.object({ dispatched: z.boolean(), delivery: summarySchema }),
    needs: 'idempotency',
    annotations: spends,
    run: (input) => {
      checkSpending(limits, input.max_cost);
      return retryDelivery(context, input);
    },
  });
}

async function retryDelivery(context: Context, input: z.output<typeof retryInput>) {
  const { delivery: text, max_cost, preference, provider, exclude_provider = '' } = input;
  const not = exclude_provider.split(',').flatMap((name) => name.trim() || []);
  await checkProvider(context, provider, 'provider');
  for (const name of not) await checkProvider(context, name, 'exclude_provider');
  const { id: deliveryid } = await findDelivery(context, text, { changes: true });
  const held = input.after_pickup === true ? null : await readUnreturnedText(context, deliveryid);
  if (held !== null)
    throw new Failure(2, 'confirmation_needed', held, {
      hint: 'Nothing was changed. If the user agrees, repeat it with after_pickup true.',
    });
  const choice = {
    preference,
    provider,
    not,
    driver: undefined,
    driver_id: undefined,
    refusesDuplicateRef: !input.allow_duplicate_ref,
  };
  // The tip counts towards max_cost, and only the service knows it.
  const tip = (await getRetryTerms(context, deliveryid, { ...choice, maxCost: undefined }, 0))?.tip ?? 0;
  const { data } = await (await context.client()).deliveries.retry({
    params: { deliveryid },
    body: retryBody({ ...choice, maxCost: max_cost }, tip),
  });
  return { dispatched: data.status !== 'failed', delivery: summarizeDelivery(context, data) };
}

const cancellationTermsSchema = z.object({
  delivery_id: z.string(),
  cancelable: z.boolean(),
  fee: z
    .number()
    .int()
    .nullable()
    .describe('In cents; null if it is not known before, and may be more than nothing'),
  refund: z.number().int().describe('The refund in cents'),
  reason: z.string().describe('Why it cannot be canceled, or why its fee is not known; otherwise empty'),
});

const cancelInput = z.object({
  delivery: deliveryText,
  agreed_fee: cents
    .nullable()
    .describe(
      'The fee that preview_cancellation gave, in cents; null if the user agreed to a fee that is not known',
    ),
  reason: z.string().max(500).optional(),
});

function cancelTools(context: Context): OfferedTool[] {
  return [
    defineTool({
      name: 'preview_cancellation',
      title: 'Price of a cancellation',
      description: 'Whether a delivery can be canceled now, the fee, and the refund. Cancels nothing.',
      input: z.object({ delivery: deliveryText }),
      output: cancellationTermsSchema,
      annotations: readsOnly,
      run: async ({ delivery }) => {
        const { id: deliveryid } = await findDelivery(context, delivery);
        const terms = await cancellationTerms(context, deliveryid);
        const { delivery_id, cancelable, fee, fee_unknown, refund, reason } = terms;
        return { delivery_id, cancelable, fee: fee_unknown === true ? null : fee, refund, reason };
      },
    }),
    defineTool({
      name: 'cancel_delivery',
      title: 'Cancel a delivery',
      description:
        'Cancels a delivery for good. `agreed_fee` is the fee of preview_cancellation that the user agreed to: if it is another one now, nothing is canceled. The `fee` of the answer is null if it is not known.',
      input: cancelInput,
      output: z.object({
        fee: z.number().int().nullable(),
        refunded: z.number().int().nullable(),
        delivery: summarySchema,
      }),
      annotations: spends,
      run: (input) => cancelDelivery(context, input),
    }),
  ];
}

async function cancelDelivery(context: Context, input: z.output<typeof cancelInput>) {
  const { delivery: text, agreed_fee, reason } = input;
  const client = await context.client();
  const params = { deliveryid: (await findDelivery(context, text, { changes: true })).id };
  const terms = await cancellationTerms(context, params.deliveryid);
  const isUnknown = terms.fee_unknown === true;
  const fee = isUnknown ? null : terms.fee;
  if (terms.cancelable && fee !== agreed_fee) {
    const why = terms.reason === '' ? 'the courier does not say it before' : terms.reason;
    const message = isUnknown
      ? `The fee for canceling ${params.deliveryid} is not known: ${why}.`
      : `Canceling ${params.deliveryid} costs ${terms.fee} cents, not the agreed_fee ${agreed_fee}.`;
    throw new Failure(6, 'fee_not_agreed', message, {
      hint: `Nothing was changed. If the user agrees, repeat it with agreed_fee ${fee}.`,
    });
  }
  const { data } = await client.deliveries.cancel({ params, body: withoutAbsent({ reason }) });
  return {
    fee,
    refunded: knownCents(data.refunded_amount),
    delivery: summarizeDelivery(context, data),
  };
}

function advanceTool(context: Context): OfferedTool {
  return defineTool({
    name: 'advance_sandbox',
    title: 'Advance the sandbox',
    description:
      'Moves the clock of test mode forward, by seconds or until a delivery has a status. Simulated couriers continue accordingly. Only in a sandbox.',
    input: z.object({
      by_seconds: z.number().int().min(1).max(31_536_000).optional(),
      until: z.strictObject({ delivery: deliveryText, status: z.enum(deliveryStatuses) }).optional(),
    }),
    output: z.object({ now: z.string(), steps: z.number().int(), delivery: summarySchema.nullable() }),
    annotations: { ...adds, openWorldHint: false },
    needs: 'sandbox',
    run: ({ by_seconds, until }) => advanceClock(context, by_seconds, until),
  });
}

async function advanceClock(
  context: Context,
  by: number | undefined,
  until: { delivery: string; status: DeliveryStatus } | undefined,
) {
  if ((by === undefined) === (until === undefined)) {
    throw new Failure(2, 'usage', 'Give either by_seconds or until.');
  }
  const client = await context.client();
  const found = until === undefined ? null : await findDelivery(context, until.delivery);
  const target = found && until && { delivery_id: found.id, status: until.status };
  const body = withoutAbsent({ by, until: target ?? undefined });
  const { data } = await client.clock.advance({ body });
  const delivery = found && (await client.deliveries.get({ params: { deliveryid: found.id } })).data;
  return { now: data.now, steps: data.steps, delivery: delivery && summarizeDelivery(context, delivery) };
}
