import type { Point } from '../../domain/geography.ts';

/** A place on the drawing: to the right and down. */
export interface Spot {
  x: number;
  y: number;
}

/** From one point to another. */
export type Leg = readonly [from: Point, to: Point];

/** The drawing's own size, in its units. */
export const size = { width: 360, height: 210 } as const;
/** Free at the edges, for pins and their labels. */
const margin = { x: 46, y: 46 } as const;

/** How far the way is bent aside at its middle, as a share of its length. */
const bend = 0.16;
/** Nothing smaller than this, in degrees, is enlarged to fill the drawing. */
const nowhere = 1e-4;

export interface Plane {
  spot(point: Point): Spot;
  line(leg: Leg): Spot[];
}

/**
 * Lays legs on the drawing, north up, so that all of them are in it. The plane is bent a little along the first,
 * so that this is a curve, and whoever is on it is on the curve. The first must lead from one place to another.
 */
export function planeOf(main: Leg, others: readonly Leg[]): Plane {
  const flat = flattened(main[0]);
  const [from, to] = [flat(main[0]), flat(main[1])];
  const bent = (point: Point) => bentAlong(from, to, flat(point));
  const line = (leg: Leg) => pointsOf(leg).map(bent);
  const placed = fitting([main, ...others].flatMap(line));
  return { spot: (point) => placed(bent(point)), line: (leg) => line(leg).map(placed) };
}

/** Degrees as a flat map has them around a point: those of longitude are shorter far from the equator. */
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

/** Moves and scales so that all spots are inside the margins, in the middle. */
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
