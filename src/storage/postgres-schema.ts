import { sql } from 'kysely';
import type { Connection } from './database.ts';
import { isMissingTable } from './postgres-errors.ts';
import { readSetting, writeSetting } from './settings.ts';
import { compatibleVersion, requireUsable, schemaVersion } from './version.ts';

/** An arbitrary number that is the same in all processes. */
const migrationLock = 8_246_330_771;

/** The setting of a database with the `compatibleVersion` of the program that has migrated it. */
const compatibleSetting = 'compatible_schema_version';

/** Whether the database has all migrations, with one read. Throws if this version cannot use it. */
export async function isMigrated(db: Connection): Promise<boolean> {
  return (await usableVersion(db)) >= schemaVersion;
}

/** The number of migrations that the database has; 0 before the first. Throws if this version cannot use it. */
export async function usableVersion(db: Connection): Promise<number> {
  const version = await currentVersion(db);
  if (version > schemaVersion)
    requireUsable(version, Number((await readSetting(db, compatibleSetting)) ?? version));
  return version;
}

/** Migrates the database to the newest schema. */
export async function migratePostgres(db: Connection): Promise<void> {
  const { migrations, postgresTypes } = await import('./migrations.ts');
  await runMigrations(
    db,
    migrations.map((migration) => migration(postgresTypes)),
  );
}

// One process at a time; the version is read again under the lock.
async function runMigrations(db: Connection, migrations: readonly (readonly string[])[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
    await sql`create table if not exists schema_version (version bigint not null)`.execute(transaction);
    const version = await readVersion(transaction);
    if (version >= migrations.length) return;
    for (const statement of migrations.slice(version).flat()) await sql.raw(statement).execute(transaction);
    await sql`delete from schema_version`.execute(transaction);
    await sql`insert into schema_version values (${migrations.length})`.execute(transaction);
    await writeSetting(transaction, compatibleSetting, String(compatibleVersion));
  });
}

/** The number of migrations that the database has; 0 before the first. */
async function currentVersion(db: Connection): Promise<number> {
  try {
    return await readVersion(db);
  } catch (error) {
    if (isMissingTable(error)) {
      return 0;
    }
    throw error;
  }
}

/** The number of migrations that the database has. */
export async function readVersion(db: Connection): Promise<number> {
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db);
  return rows[0]?.version ?? 0;
}
