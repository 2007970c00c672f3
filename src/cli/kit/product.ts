/** The program that uses the kit; no other file of the kit names it. */
export const product = {
  name: 'waybill',
  environment_prefix: 'WAYBILL_',
  /** The prefixes of its API keys and webhook secrets, as regular expressions. */
  key_prefix: 'wb_(?:test|live)_',
  secret_prefix: 'whsec_',
} as const;
