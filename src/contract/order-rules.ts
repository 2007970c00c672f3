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

/** Fields that do not all have these values. */
function notTogether(values: Readonly<Record<string, unknown>>): FieldRule {
  const fields = Object.entries(values).map(([name, value]) => [name, { const: value }]);
  return { schema: { not: { required: Object.keys(values), properties: Object.fromEntries(fields) } } };
}

/** The rules beyond which fields an end needs. */
export const contentRules: readonly FieldRule[] = [
  { without: ['pickup_store_id', ...fieldsOfPickup] },
  { one: ['pickup_at', 'dropoff_at'] },
  { together: ['pickup_latitude', 'pickup_longitude'] },
  { together: ['dropoff_latitude', 'dropoff_longitude'] },
  notTogether({ request_signature: true, request_contactless: true }),
  notTogether({ request_signature: true, undeliverable_action: 'leave_at_door' }),
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

/** The size of an item in one of these spellings, in any case; for `#` there may be a blank, an underscore or a hyphen. */
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

/** The settings of auto dispatch. */
const isAuto = { required: ['mechanism'], properties: { mechanism: { const: 'auto' } } };

/** What applies to auto dispatch only, and the providers that the preference `preferred` needs. */
export const settingsRules: readonly FieldRule[] = [
  {
    schema: {
      anyOf: [
        isAuto,
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

/** Manual dispatch takes one order. */
export const batchRule: FieldRule = {
  schema: {
    anyOf: [
      {
        required: ['settings'],
        properties: {
          settings: { type: 'object', ...isAuto },
        },
      },
      { properties: { orders: { maxItems: 1 } } },
    ],
  },
};
