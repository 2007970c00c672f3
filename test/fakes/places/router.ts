import { greatCircleMiles } from '../../../src/domain/geography.ts';
import { type FakeServer, fakeServer } from './geocoder.ts';

/** The coordinates of a table request, longitude first, as latitude and longitude. */
export function pointsIn(url: URL): { lat: number; lng: number }[] {
  const path = url.pathname.split('/').at(-1) ?? '';
  return path.split(';').map((pair) => {
    const [lng = Number.NaN, lat = Number.NaN] = pair.split(',').map(Number);
    return { lat, lng };
  });
}

/**
 * A table server in the form that OSRM documents: this is not the real one. Everywhere it drives `minutes_per_mile` in a
 * straight line; `change` may replace the seconds of a way.
 */
export function fakeRouter(
  minutes_per_mile: number,
  change: (
    from: { lat: number; lng: number },
    to: { lat: number; lng: number },
    seconds: number,
  ) => number | null = (_from, _to, seconds) => seconds,
): Promise<FakeServer> {
  return fakeServer((url) => {
    const points = pointsIn(url);
    const sources = (url.searchParams.get('sources') ?? '').split(';').map(Number);
    const durations = sources.map((source) => {
      const from = points[source] ?? { lat: 0, lng: 0 };
      return points.map((to) => change(from, to, greatCircleMiles(from, to) * minutes_per_mile * 60));
    });
    return { body: JSON.stringify({ code: 'Ok', durations, sources: [], destinations: [] }) };
  });
}
