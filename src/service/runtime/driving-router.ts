import { placeKey, wayKey } from '../../domain/driving-times.ts';
import type { Point } from '../../domain/geography.ts';
import { max_points, readTable, tablePath } from '../../providers/routers/osrm.ts';
import type { Router, ServiceConfig } from './context.ts';
import { createOperatorServer } from './operator-server.ts';

/** How long a plan waits for the router; after that, straight lines are used. */
const limit_ms = 1_000;
/** Driving times do not expire: above this number, the oldest are dropped. */
const max_ways = 200_000;

/** Asks the router that is set, and keeps the times that it has answered. */
export function createDrivingRouter(
  url: string,
  parts: Pick<ServiceConfig, 'web' | 'timers' | 'circuits' | 'onFault'>,
): Router {
  const server = createOperatorServer(
    {
      url,
      limit_ms,
      what: 'router',
      effect: 'driving times are estimated by straight lines until it answers',
    },
    parts,
  );
  const known = new Map<string, number>();
  const learn = async (given: readonly Point[]): Promise<void> => {
    const points = [...new Map(given.map((point) => [placeKey(point), point])).values()].slice(0, max_points);
    const isKnown = (from: Point, to: Point) => from === to || known.has(wayKey(from, to));
    const sources = [...points.keys()].filter((index) => {
      const from = points[index];
      return from !== undefined && points.some((to) => !isKnown(from, to) || !isKnown(to, from));
    });
    if (sources.length === 0) return;
    const table = await server.ask(tablePath(points, sources), ({ body }) => readTable(body));
    for (const [row, source] of sources.entries()) {
      for (const [column, to] of points.entries()) {
        const [from, seconds] = [points[source], table?.[row]?.[column] ?? null];
        if (from !== undefined && seconds !== null) known.set(wayKey(from, to), Math.round(seconds * 1_000));
      }
    }
    for (const oldest of known.keys()) {
      if (known.size <= max_ways) break;
      known.delete(oldest);
    }
  };
  return { known, learn, isFailing: server.isFailing };
}
