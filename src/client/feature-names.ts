/** The parts of the interface that a service may lack. The others are part of every service. */
export const featureNames = [
  'account',
  'idempotency',
  'filters',
  'orders',
  'routes',
  'batches',
  'stores',
  'charges',
  'stream',
  'webhooks',
  'sandbox',
  'keys',
] as const;
export type Feature = (typeof featureNames)[number];

/** What is known of a service: whether it has each feature; a feature that is not named is not known. */
export type Features = Readonly<Partial<Record<Feature, boolean>>>;

/** What each feature is, behind "This service has no". */
export const featureTexts: Readonly<Record<Feature, string>> = {
  account: 'account information',
  idempotency: 'idempotency keys',
  filters: 'list filters',
  orders: 'order look-ups',
  routes: 'route look-ups',
  batches: 'batch look-ups',
  stores: 'saved stores',
  charges: 'charges',
  stream: 'events',
  webhooks: 'webhook endpoints',
  sandbox: 'sandbox controls',
  keys: 'API key management',
};

/** A service with every feature. */
export const allFeatures: Features = Object.fromEntries(featureNames.map((name) => [name, true]));
