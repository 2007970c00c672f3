import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Database } from '../storage/database.ts';
import { deliveryById, deliveryByToken } from '../storage/deliveries.ts';
import { keyByHash } from '../storage/keys.ts';
import { lookupText } from '../storage/lookups.ts';
import { orderById } from '../storage/orders.ts';
import { routeById } from '../storage/routes.ts';
import { serviceState } from '../storage/service-state.ts';

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
    [serviceState.name]: lookupText(db, serviceState),
    [deliveryById.name]: lookupText(db, deliveryById),
    [deliveryByToken.name]: lookupText(db, deliveryByToken),
    [orderById.name]: lookupText(db, orderById),
    [routeById.name]: lookupText(db, routeById),
  };
}
