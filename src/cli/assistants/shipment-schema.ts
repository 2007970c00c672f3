/** The arguments of a shipment that an assistant gives, as schemas with their descriptions. */
import * as z from 'zod';
import { itemSizes, vehicleTypes } from '../../contract/vocabulary.ts';

const address = z.string().min(1).describe('One line: street, city, state, ZIP');

const phone = z
  .string()
  .min(1)
  .describe('As people write it, or in international format with a leading plus sign');

export const shipmentItems = z
  .array(
    z.strictObject({
      name: z.string().min(1),
      quantity: z.number().int().min(1).max(999).default(1),
      size: z.enum(itemSizes).default('small'),
    }),
  )
  .min(1)
  .max(50);

const optionalText = z.string().min(1).optional();

export const cents = z.number().int().min(0).max(99_999_999);

const degrees = z.number().optional();

const latitude = degrees.describe('Exact, if it is known; given together with the longitude');

export const allow_duplicate_ref = z
  .boolean()
  .default(false)
  .describe(
    'Ship although this external_order_ref is in use. Set it only if the user wants a second delivery',
  );

export const maxCost = cents.describe(
  'The most that is charged for the delivery in cents, the tip included. Nothing is shipped above it',
);

/** The arguments that select a quote. */
export const dispatchTerms = z.object({
  max_cost: maxCost,
  preference: z.enum(['cheapest', 'fastest']).default('cheapest'),
  late_ok: z
    .boolean()
    .default(false)
    .describe('Ship although no quote keeps dropoff_at or pickup_at. Set it only if the user agrees'),
});

export const pickupStore = optionalText.describe(
  'A store of list_stores, by its name or ID, instead of the pickup address, name and phone',
);

export const shipment = z.object({
  pickup_store: pickupStore,
  pickup_address: address.optional(),
  pickup_latitude: latitude,
  pickup_longitude: degrees,
  pickup_name: optionalText.describe('Required without pickup_store'),
  pickup_phone_number: phone.optional(),
  pickup_unit: z.string().optional().describe('Not with pickup_store, which has its own'),
  pickup_notes: z.string().optional(),
  pickup_at: optionalText.describe('A later pickup, in ISO 8601; without any time it starts at once'),
  dropoff_address: address,
  dropoff_latitude: latitude,
  dropoff_longitude: degrees,
  dropoff_name: z.string().min(1),
  dropoff_phone_number: phone,
  dropoff_email: z.string().optional().describe('Where the recipient gets notices, if the shop sends any'),
  dropoff_unit: z.string().optional(),
  dropoff_notes: z.string().optional(),
  dropoff_at: optionalText.describe('A later arrival, in ISO 8601; not with pickup_at'),
  items: shipmentItems,
  external_order_ref: z.string().optional().describe("The merchant's own reference"),
  tip: cents.optional().describe('For the driver, in cents'),
  order_value: cents.optional().describe('What the goods are worth, in cents'),
  request_signature: z.boolean().optional(),
  request_contactless: z.boolean().optional().describe('Left at the door, with a photo'),
  vehicle: z.enum(vehicleTypes).optional().describe('The smallest vehicle that is large enough'),
  ...dispatchTerms.shape,
  idempotency_key: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('A repeat with the same key finds the first shipment and ships nothing twice'),
  allow_duplicate_ref,
});

export type Shipment = z.infer<typeof shipment>;
