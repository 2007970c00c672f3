import { listOf, object, orNull, withField, word } from '../shapes.ts';

/** Results of commands that work on the database of a service. */

const issuedKey = object({ key: 'string', mode: 'test | live', permission: 'read | write | admin' });

/** An account as its operator sees it. */
export const operatedAccount = object({
  id: 'string',
  name: 'string',
  created_at: 'time',
  suspended_at: orNull(word('time')),
});

export const createdAccount = withField(operatedAccount, 'keys', listOf(issuedKey));

export const operatedKey = issuedKey;

/** A key that encrypts stored secrets. */
export const keyUse = object({
  key: orNull(word('string')),
  state: '"current" | "previous" | "missing" | "none"',
  secrets: 'integer',
});

export const secretRotation = object({
  key: 'string',
  file: orNull(word('string')),
  created: 'boolean',
  encrypted: 'integer',
  unreadable: 'integer',
});

const copied = {
  bytes: 'integer',
  schema_version: 'integer',
  orders: 'integer',
  deliveries: 'integer',
} as const;

/** A copy of a database. */
export const databaseCopy = object({ file: 'string', ...copied });
export const restoredDatabase = object({ file: 'string', ...copied, replaced: orNull(word('string')) });

export const erasedOrder = object({
  order_id: 'string',
  delivery_ids: listOf(word('string')),
  outcome: 'erased | under_way',
});

/** The stored records of a person. */
export const personExport = object({ phone: 'string', orders: listOf(word('object')) });

/** The schema of a database. */
export const schemaState = object({
  schema_version: 'integer',
  newest_version: 'integer',
  pending: 'integer',
});
