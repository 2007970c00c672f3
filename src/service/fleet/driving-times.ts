import type { Point } from '../../domain/geography.ts';
import type { Connection, Scope } from '../../storage/database.ts';
import { driversOnDuty, loadDriver } from '../../storage/drivers.ts';
import { loadRoute } from '../../storage/routes.ts';
import { routeStops } from '../routes/route-handlers.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { type DriverLoad, loadDrivers, offeredStops, positionOf } from './driver-load.ts';

/**
 * Asks the router about the ways that a plan is made of, before the transaction that makes it: the drivers on duty or
 * one of them, their stops, and those of a route. Ways that stay unknown are estimated.
 */
export async function learnWays(
  { router, storage }: ServiceContext,
  {
    scope,
    route_id,
    driver_id,
    stops = [],
  }: { scope: Scope; route_id?: string; driver_id?: string; stops?: readonly Point[] },
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

async function loadsOf(db: Connection, scope: Scope, driver_id: string | undefined): Promise<DriverLoad[]> {
  if (driver_id === undefined) return loadDrivers(db, await driversOnDuty(db, scope));
  const driver = await loadDriver(db, driver_id);
  return driver === undefined ? [] : loadDrivers(db, [driver]);
}

/** Where a driver is and goes. */
function pointsOf(load: DriverLoad): Point[] {
  const position = positionOf(load.driver);
  return [...(position === null ? [] : [position]), ...load.stops, ...offeredStops(load)];
}
