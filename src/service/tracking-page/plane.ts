import type { Point } from '../../domain/geography.ts';

/** A position on the drawing: to the right and down. */
export interface Spot {
  x: number;
  y: number;
}

/** From one point to another. */
export type Leg = readonly [from: Point, to: Point];

/** The size of the drawing, in its units. */
export const size = { width: 360, height: 210 } as const;
/** Free space at the edges for pins and labels. */
const margin = { x: 46, y: 46 } as const;

/** How far the route is bent at its middle, relative to its length. */
const bend = 0.16;
/** Distances smaller than this, in degrees, are not enlarged to fill the drawing. */
const nowhere = 1e-4;

export interface Plane {
  spot(point: Point): Spot;
  line(leg: Leg): Spot[];
}

/**
 * Projects legs to the drawing, north up, so that all of them fit. The plane is bent slightly along the first leg, so
 * that it becomes a curve, with all points on it. The first leg must connect two different positions.
 */
export function planeOf(main: Leg, others: readonly Leg[]): Plane {
  const flat = flattened(main[0]);
  const [from, to] = [flat(main[0]), flat(main[1])];
  const bent = (point: Point) => bentAlong(from, to, flat(point));
  const line = (leg: Leg) => pointsOf(leg).map(bent);
  const placed = fitting([main, ...others].flatMap(line));
  return { spot: (point) => placed(bent(point)), line: (leg) => line(leg).map(placed) };
}

/** Projects degrees to a flat map around a point: longitudes are scaled by the latitude. */
function flattened(centre: Point): (point: Point) => Spot {
  const narrowing = Math.cos((centre.lat * Math.PI) / 180);
  return ({ lat, lng }) => ({ x: (lng - centre.lng) * narrowing, y: centre.lat - lat });
}

function bentAlong(from: Spot, to: Spot, spot: Spot): Spot {
  const [along, aside] = [to.x - from.x, to.y - from.y];
  const share = ((spot.x - from.x) * along + (spot.y - from.y) * aside) / (along ** 2 + aside ** 2);
  if (share <= 0 || share >= 1) return spot;
  const upwards = along < 0 ? -1 : 1;
  const shift = upwards * bend * Math.sin(share * Math.PI);
  return { x: spot.x + aside * shift, y: spot.y - along * shift };
}

const pieces = 16;

function pointsOf([from, to]: Leg): Point[] {
  return Array.from({ length: pieces + 1 }, (_, index) => ({
    lat: from.lat + ((to.lat - from.lat) * index) / pieces,
    lng: from.lng + ((to.lng - from.lng) * index) / pieces,
  }));
}

/** Moves and scales all spots to fit inside the margins, centered. */
function fitting(spots: readonly Spot[]): (spot: Spot) => Spot {
  const [left, right] = range(spots.map(({ x }) => x));
  const [top, bottom] = range(spots.map(({ y }) => y));
  const width = size.width - 2 * margin.x;
  const height = size.height - 2 * margin.y;
  const scale = Math.min(width / Math.max(right - left, nowhere), height / Math.max(bottom - top, nowhere));
  return ({ x, y }) => ({
    x: size.width / 2 + (x - (left + right) / 2) * scale,
    y: size.height / 2 + (y - (top + bottom) / 2) * scale,
  });
}

function range(values: readonly number[]): [least: number, most: number] {
  return [Math.min(...values), Math.max(...values)];
}
