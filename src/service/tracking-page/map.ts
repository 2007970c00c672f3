import { isPickedUp } from '../../domain/delivery-states.ts';
import { greatCircleMiles, type Point } from '../../domain/geography.ts';
import { html, type Markup } from './markup.ts';
import type { Texts } from './texts.ts';
import { isOver, isSameArea, shortened, type TrackedDelivery } from './tracked-delivery.ts';

/** A map of the route: pickup, dropoff and courier. */
export function mapSection(tracked: TrackedDelivery): Markup {
  const sketch = sketchOf(tracked);
  const isDone = tracked.status === 'delivered' || tracked.status === 'disputed';
  return html`<section class="card map">
<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="map-title map-text">
<title id="map-title">${tracked.texts.map_title(tracked.merchant)}</title>
<desc id="map-text">${description(tracked)}</desc>
<defs><pattern id="streets" width="44" height="34" patternUnits="userSpaceOnUse" patternTransform="rotate(-9)">
<path class="street" d="M0 8H44M14 0V34"/><path class="street small" d="M0 25H44M33 0V34"/></pattern></defs>
<rect class="land" width="100%" height="100%"/><rect width="100%" height="100%" fill="url(#streets)"/>
<path class="way${isDone ? ' done' : ''}" d="${pathOf(sketch.route)}"/>
${sketch.approach === null ? null : html`<path class="lead" d="${pathOf(sketch.approach)}"/>`}
${pins(tracked, sketch)}
${sketch.courier === null ? null : courierAt(sketch.courier)}
</svg>
<p>${caption(tracked)}</p>
</section>`;
}

/** The positions of the drawing. */
interface Sketch {
  pickup: Spot;
  dropoff: Spot;
  courier: Spot | null;
  route: readonly Spot[];
  /** From the courier to their next stop. */
  approach: readonly Spot[] | null;
}

function sketchOf(tracked: TrackedDelivery): Sketch {
  const { pickup, dropoff, position, status } = tracked;
  const main: Leg = [pickup, dropoff];
  const next: Leg | null = position === null ? null : [position, isPickedUp(status) ? dropoff : pickup];
  if (isSameArea(tracked)) return sameAreaSketch(tracked);
  const plane = planeOf(main, next === null ? [] : [next]);
  return {
    pickup: plane.spot(pickup),
    dropoff: plane.spot(dropoff),
    courier: position === null ? null : plane.spot(position),
    route: plane.line(main),
    approach: next === null ? null : plane.line(next),
  };
}

/** Pickup and dropoff at the same position are drawn side by side, with the courier placed by status. */
function sameAreaSketch({ status, position }: TrackedDelivery): Sketch {
  const middle = size.height / 2;
  const pickup = { x: 95, y: middle };
  const dropoff = { x: size.width - 95, y: middle };
  const between = isPickedUp(status) ? { x: size.width / 2, y: middle } : null;
  const reached = { arrived_at_pickup: pickup, arrived_at_dropoff: dropoff, dropoff_complete: dropoff };
  const courier =
    position === null ? null : (Object.entries(reached).find(([at]) => at === status)?.[1] ?? between);
  return { pickup, dropoff, courier, route: [pickup, dropoff], approach: null };
}

function pathOf(spots: readonly Spot[]): string {
  return spots.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${tenth(x)} ${tenth(y)}`).join('');
}

function tenth(length: number): number {
  return Math.round(length * 10) / 10;
}

function pins({ merchant, texts }: TrackedDelivery, { pickup, dropoff, courier }: Sketch): Markup {
  const isAbove = pickup.y <= dropoff.y;
  const courierSpots = courier === null ? [] : [courier];
  return html`<g transform="${moved(pickup)}"><circle class="pin" r="8"/><circle class="dot" r="3"/></g>
<g transform="${moved(dropoff)}"><circle class="pin home" r="10"/><path class="house" d="M-5.5 .5L0-5L5.5 .5M-3.5-.5V4.5H3.5V-.5"/></g>
${label(shortened(merchant, 24), pickup, isAbove, [dropoff, ...courierSpots])}
${label(texts.you, dropoff, !isAbove, [pickup, ...courierSpots])}`;
}

/** The approximate width of a label's character, in units of the drawing. */
const character_width = 6.6;
/** From a pin to the middle of its label. */
const label_distance = 21;

/**
 * A label above or below its pin: on the preferred side, which differs for the two pins, or on the other side if only
 * the preferred one is taken.
 */
function label(text: string, { x, y }: Spot, wantsAbove: boolean, others: readonly Spot[]): Markup {
  const half = ([...text].length * character_width) / 2 + 6;
  const inside = Math.min(Math.max(x, half), size.width - half);
  const isTaken = (isAbove: boolean) =>
    others.some((other) => {
      const away = Math.abs(other.y - (isAbove ? y - label_distance : y + label_distance));
      return away < label_distance && Math.abs(other.x - inside) < half + 10;
    });
  const isAbove = isTaken(wantsAbove) && !isTaken(!wantsAbove) ? !wantsAbove : wantsAbove;
  return html`<text x="${tenth(inside)}" y="${tenth(isAbove ? y - label_distance + 4 : y + label_distance + 5)}">${text}</text>`;
}

function courierAt(spot: Spot): Markup {
  return html`<g class="courier" transform="${moved(spot)}"><circle class="halo" r="17"/><circle class="badge" r="11"/>
<path class="box" d="M-5-2.6L0-5.2L5-2.6V3.2L0 5.8L-5 3.2ZM-5-2.6L0 0L5-2.6M0 0V5.8"/></g>`;
}

function moved({ x, y }: Spot): string {
  return `translate(${tenth(x)} ${tenth(y)})`;
}

function description(tracked: TrackedDelivery): string {
  const { merchant, pickup, dropoff, position, texts } = tracked;
  if (isSameArea(tracked)) return texts.map_same_area(merchant);
  const way = texts.map_distance(merchant, miles(greatCircleMiles(pickup, dropoff), texts));
  if (position === null) return way;
  return `${way} ${texts.map_courier(miles(greatCircleMiles(position, dropoff), texts))}`;
}

function caption({ status, courier, position, is_ended, texts }: TrackedDelivery): string {
  const isUnseen = courier !== null && position === null && !is_ended && !isOver(status);
  return isUnseen ? texts.no_location : texts.not_to_scale;
}

/** A position on the drawing: to the right and down. */
interface Spot {
  x: number;
  y: number;
}

/** From one point to another. */
type Leg = readonly [from: Point, to: Point];

/** The size of the drawing, in its units. */
export const size = { width: 360, height: 210 } as const;
/** Free space at the edges for pins and labels. */
const margin = { x: 46, y: 46 } as const;

/** How far the route is bent at its middle, relative to its length. */
const bend = 0.16;
/** Distances smaller than this, in degrees, are not enlarged to fill the drawing. */
const nowhere = 1e-4;

interface Plane {
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

/** `1.4 miles`, as the crow flies. */
export function miles(distance: number, texts: Pick<Texts, 'miles' | 'one_mile' | 'under_a_tenth'>): string {
  if (distance < 0.1) return texts.under_a_tenth;
  const shown = distance < 9.95 ? distance.toFixed(1) : String(Math.round(distance));
  return shown === '1.0' ? texts.one_mile : texts.miles(shown.replace(/\.0$/, ''));
}
