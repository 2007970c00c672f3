import type { Point } from '../../domain/geography.ts';
import type { Connection, Scope } from '../../storage/database.ts';
import { driversOnDuty, loadDriver } from '../../storage/drivers.ts';
import { loadRoute } from '../../storage/routes.ts';
import { routeStops } from '../routes/route-handlers.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { type DriverLoad, loadDrivers, offeredStops, positionOf } from './driver-load.ts';

interface Planned {
  scope: Scope;
  route_id?: string;
  /** Absent or null: any driver on duty. */
  driver_id?: string | null | undefined;
  stops?: readonly Point[];
}

/**
 * Asks the router for the driving times that a plan may need, before the transaction that makes the plan: between the
 * drivers on duty or one driver, their stops, and those of a route. Times that stay unknown are estimated.
 */
export async function learnWays(
  { router, storage }: ServiceContext,
  { scope, route_id, driver_id = null, stops = [] }: Planned,
): Promise<void> {
  if (router === null) return;
  const points = await storage.read(async (db) => [
    ...stops,
    ...(route_id === undefined ? [] : await stopsOfRoute(db, route_id)),
    ...(await loadsOf(db, scope, driver_id)).flatMap(pointsOf),
  ]);
  await router.learn(points);
}

async function stopsOfRoute(db: Connection, route_id: string): Promise<Point[]> {
  const route = await loadRoute(db, route_id);
  return route === undefined ? [] : routeStops(route);
}

async function loadsOf(db: Connection, scope: Scope, driver_id: string | null): Promise<DriverLoad[]> {
  if (driver_id === null) return loadDrivers(db, await driversOnDuty(db, scope));
  const driver = await loadDriver(db, driver_id);
  return driver === undefined ? [] : loadDrivers(db, [driver]);
}

/** The position of a driver and the stops of the plan and of the offers. */
function pointsOf(load: DriverLoad): Point[] {
  const position = positionOf(load.driver);
  return [...(position === null ? [] : [position]), ...load.stops, ...offeredStops(load)];
}
