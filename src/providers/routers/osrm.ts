/**
 * The table service of OSRM: https://github.com/Project-OSRM/osrm-backend/blob/master/docs/http.md. Coordinates have the
 * longitude first, and errors have a `code` whatever their status is.
 */
import type { Point } from '../../domain/geography.ts';
import { listAt, parseFields, textAt } from '../json-fields.ts';

/** The most coordinates of a request, by the default of the server. */
export const max_points = 100;

/** The path and query of the request for the times from some of the points, by their indexes, to all of them. */
export function tablePath(points: readonly Point[], sources: readonly number[]): string {
  const coordinates = points.map(({ lat, lng }) => `${lng.toFixed(6)},${lat.toFixed(6)}`).join(';');
  const query = `sources=${sources.join(';')}&destinations=all&annotations=duration&skip_waypoints=true`;
  return `/table/v1/driving/${coordinates}?${query}&generate_hints=false`;
}

/** The seconds from each source to each point; null where there is no way. Empty if the server has no table for them. */
export function readTable(body: string): (number | null)[][] {
  const fields = parseFields(body);
  const code = textAt(fields, 'code');
  if (code === null) throw new Error('it answered without a code');
  if (code !== 'Ok') return [];
  return listAt(fields, 'durations').map((row) =>
    Array.isArray(row) ? row.map((cell: unknown) => (isDuration(cell) ? cell : null)) : [],
  );
}

/** No way of a driver takes longer than a day. */
const max_seconds = 86_400;

function isDuration(cell: unknown): cell is number {
  return typeof cell === 'number' && cell >= 0 && cell <= max_seconds;
}
