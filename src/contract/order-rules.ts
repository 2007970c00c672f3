/** Rules between the fields of an order, as its description tells them. `domain/order-rules.ts` checks them. */
import type { FieldRule } from './schema.ts';

export function fieldsOfPlace(end: string): string[] {
  return ['address', 'unit', 'latitude', 'longitude'].map((name) => `${end}_${name}`);
}

/** The fields that a store stands for. */
export const fieldsOfPickup = [
  ...fieldsOfPlace('pickup'),
  'pickup_name',
  'pickup_phone_number',
  'pickup_notes',
];

/** The rules beyond which fields an end needs. */
export const contentRules: readonly FieldRule[] = [
  { without: ['pickup_store_id', ...fieldsOfPickup] },
  { one: ['pickup_at', 'dropoff_at'] },
  { together: ['pickup_latitude', 'pickup_longitude'] },
  { together: ['dropoff_latitude', 'dropoff_longitude'] },
  {
    schema: {
      not: {
        required: ['request_signature', 'request_contactless'],
        properties: { request_signature: { const: true }, request_contactless: { const: true } },
      },
    },
  },
  {
    schema: {
      not: {
        required: ['request_signature', 'undeliverable_action'],
        properties: { request_signature: { const: true }, undeliverable_action: { const: 'leave_at_door' } },
      },
    },
  },
  {
    schema: {
      anyOf: [
        { required: ['items'], properties: { items: { type: 'array', items: {}, minItems: 1 } } },
        {
          required: ['items_description'],
          properties: { items_description: { type: 'string', minLength: 1 } },
        },
      ],
    },
  },
];

export const orderRules: readonly FieldRule[] = [
  { any: [['pickup_store_id'], ['pickup_address', 'pickup_name', 'pickup_phone_number']] },
  ...contentRules,
];

const spellings = [
  's',
  'sm',
  'small',
  'm',
  'med',
  'medium',
  'l',
  'lg',
  'large',
  'xl',
  'x#large',
  'extra#large',
];

/** Spellings of the size of an item, in any case. */
export const sizeRule: FieldRule = {
  schema: {
    properties: {
      size: {
        pattern: `^(${spellings
          .map((word) => word.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`))
          .join('|')
          .replaceAll('#', '[ _-]?')})$`,
      },
    },
  },
};

/** What applies to auto dispatch only, and the order of preference that it needs. */
export const settingsRules: readonly FieldRule[] = [
  {
    schema: {
      anyOf: [
        { required: ['mechanism'], properties: { mechanism: { const: 'auto' } } },
        {
          properties: Object.fromEntries(
            ['quote_preference', 'providers', 'max_cost', 'retry_window', 'retry_interval'].map((name) => [
              name,
              { type: 'null' },
            ]),
          ),
        },
      ],
    },
  },
  {
    schema: {
      anyOf: [
        { properties: { quote_preference: { not: { const: 'preferred' } } } },
        { required: ['providers'], properties: { providers: { type: 'array', items: {} } } },
      ],
    },
  },
];

/** One order in manual dispatch. */
export const batchRule: FieldRule = {
  schema: {
    anyOf: [
      {
        required: ['settings'],
        properties: {
          settings: { type: 'object', required: ['mechanism'], properties: { mechanism: { const: 'auto' } } },
        },
      },
      { properties: { orders: { maxItems: 1 } } },
    ],
  },
};
