import { accountAdministration } from './account-administration.ts';
import { audit } from './audit.ts';
import { auditActors } from './audit-actors.ts';
import { autoDispatch } from './auto-dispatch.ts';
import { courierBills } from './courier-bills.ts';
import { couriers } from './couriers.ts';
import { deliveryLife } from './delivery-life.ts';
import { deliveryNotes } from './delivery-notes.ts';
import { disputes } from './disputes.ts';
import { drivers } from './drivers.ts';
import { failedTasks } from './failed-tasks.ts';
import { failureReasons } from './failure-reasons.ts';
import { type ColumnTypes, firstSchema, type MigrationStep } from './first-schema.ts';
import { keyUses } from './key-uses.ts';
import { accountModes, workModes } from './modes.ts';
import { narrowIndexes } from './narrow-indexes.ts';
import { personalData } from './personal-data.ts';
import { promises } from './promises.ts';
import { proofPictures } from './proof-pictures.ts';
import { rareBatches } from './rare-batches.ts';
import { rareRecords } from './rare-records.ts';
import { search } from './search.ts';
import { searchErasure } from './search-erasure.ts';
import { webhooks } from './webhooks.ts';

/** One migration: the steps for an engine, run in one transaction. */
export type Migration = (types: ColumnTypes) => readonly MigrationStep[];

/**
 * All migrations in order; the version of a database is the number of applied ones. Migrations are only ever
 * appended. `schemaVersion` in `version.ts` must be their number.
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
  accountAdministration,
  disputes,
  search,
  drivers,
  couriers,
  deliveryNotes,
  proofPictures,
  audit,
  keyUses,
  personalData,
  searchErasure,
  rareBatches,
  narrowIndexes,
  promises,
  courierBills,
  auditActors,
];
