import { autoDispatch } from './auto-dispatch.ts';
import { deliveryLife } from './delivery-life.ts';
import { failedTasks } from './failed-tasks.ts';
import { failureReasons } from './failure-reasons.ts';
import { type ColumnTypes, firstSchema } from './first-schema.ts';
import { accountModes, workModes } from './modes.ts';
import { rareRecords } from './rare-records.ts';
import { webhooks } from './webhooks.ts';

/** One step of the schema: the statements for an engine, run in one transaction. */
export type Migration = (types: ColumnTypes) => string[];

/**
 * Every step in order; a database's version is how many it has had. Steps are only ever added.
 * `schemaVersion` in `version.ts` must be their number.
 */
export const migrations: readonly Migration[] = [
  firstSchema,
  deliveryLife,
  autoDispatch,
  webhooks,
  rareRecords,
  accountModes,
  failedTasks,
  workModes,
  failureReasons,
];
