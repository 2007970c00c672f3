import * as z from 'zod';
import type { Delivery } from '../../../contract/deliveries.ts';

/** The fields that an assistant needs to identify a delivery and report its status. */
export const deliverySummary = z.object({
  id: z.string(),
  status: z.string(),
  external_order_ref: z.string(),
  provider: z.string().describe('Empty without a provider'),
  recipient: z.string(),
  dropoff_address: z.string(),
  dropoff_eta: z.string().nullable(),
  price: z
    .number()
    .int()
    .nullable()
    .describe('In cents, without the tip; null if the service does not say it'),
  tip: z.number().int().nullable(),
  tracking_url: z.string(),
  failure_message: z.string().describe('Empty unless it failed or goes back'),
  created_at: z.string(),
});

export type DeliverySummary = z.infer<typeof deliverySummary>;

export function summaryOf(delivery: Delivery): DeliverySummary {
  const [dropoff] = delivery.dropoffs;
  return {
    id: delivery.id,
    status: delivery.status,
    external_order_ref: delivery.external_order_ref,
    provider: delivery.service,
    recipient: dropoff?.dropoff_name ?? '',
    dropoff_address: dropoff?.dropoff_address ?? '',
    dropoff_eta: dropoff?.dropoff_eta ?? null,
    price: knownCents(delivery.payment_amount),
    tip: delivery.tip,
    tracking_url: delivery.tracking_url,
    failure_message: delivery.failure_message,
    created_at: delivery.created_at,
  };
}

/** An amount that the service left out is NaN, which JSON does not have. */
export function knownCents(amount: number): number | null {
  return Number.isNaN(amount) ? null : amount;
}
