import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Database } from '../storage/database.ts';
import { deliveryById } from '../storage/deliveries.ts';
import { keyByHash } from '../storage/keys.ts';
import { lookupText } from '../storage/lookups.ts';
import { orderById } from '../storage/orders.ts';
import { routeById } from '../storage/routes.ts';
import { earliestDue } from '../storage/tasks.ts';

/** The texts of the lookups in SQLite's dialect, by name, made by the same code that makes them at run time. */
export function lookupTexts(): Record<string, string> {
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (inner) => new SqliteIntrospector(inner),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return {
    [keyByHash.name]: lookupText(db, keyByHash),
    [earliestDue.name]: lookupText(db, earliestDue),
    [deliveryById.name]: lookupText(db, deliveryById),
    [orderById.name]: lookupText(db, orderById),
    [routeById.name]: lookupText(db, routeById),
  };
}
