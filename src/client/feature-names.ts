/** The parts of the contract that a service may lack. The others are required. */
export const featureNames = [
  'account',
  'idempotency',
  'filters',
  'cents',
  'orders',
  'routes',
  'batches',
  'stores',
  'couriers',
  'drivers',
  'charges',
  'stream',
  'webhooks',
  'sandbox',
  'keys',
] as const;
export type Feature = (typeof featureNames)[number];

/** The known features of a service; a missing entry is unknown. */
export type Features = Readonly<Partial<Record<Feature, boolean>>>;

/** The name of each feature, after "This service has no". */
export const featureTexts: Readonly<Record<Feature, string>> = {
  account: 'account information',
  idempotency: 'idempotency keys',
  filters: 'list filters',
  cents: 'amounts in cents',
  orders: 'order look-ups',
  routes: 'route look-ups',
  batches: 'batch look-ups',
  stores: 'saved stores',
  couriers: 'connected couriers',
  drivers: 'own drivers',
  charges: 'charges',
  stream: 'events',
  webhooks: 'webhook endpoints',
  sandbox: 'sandbox controls',
  keys: 'API key management',
};

/** A service with every feature. */
export const allFeatures: Features = Object.fromEntries(featureNames.map((name) => [name, true]));
