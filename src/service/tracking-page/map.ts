import { isPickedUp } from '../../domain/delivery-states.ts';
import { greatCircleMiles, type Point } from '../../domain/geography.ts';
import type { MapTiles } from '../../domain/operator-settings.ts';
import { html, type Markup } from './markup.ts';
import type { Texts } from './texts.ts';
import { isOver, isSameArea, shortened, type TrackedDelivery } from './tracked-delivery.ts';

/** A map of the route to scale, without streets: pickup, dropoff and courier. */
export function mapSection(tracked: TrackedDelivery, tiles: MapTiles | null = null): Markup {
  const sketch = sketchOf(tracked);
  const isDone = tracked.status === 'delivered' || tracked.status === 'disputed';
  return html`<section class="card map"${tiles === null ? null : tileData(tracked, tiles)}>
${tiles === null ? null : html`<div class="tiles" role="region" aria-labelledby="map-title" data-kept hidden></div>`}
<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="map-title map-text">
<title id="map-title">${tracked.texts.map_title(tracked.merchant)}</title>
<desc id="map-text">${description(tracked)}</desc>
<rect class="land" width="100%" height="100%"/>
<path class="way${isDone ? ' done' : ''}" d="${pathOf([sketch.pickup, sketch.dropoff])}"/>
${sketch.approach === null ? null : html`<path class="lead" d="${pathOf(sketch.approach)}"/>`}
${sketch.units_per_mile === null ? null : scaleBar(sketch.units_per_mile, tracked.texts)}
${pins(tracked, sketch)}
${sketch.courier === null ? null : courierAt(sketch.courier)}
</svg>
<p>${caption(tracked)}</p>
</section>`;
}

/** The points that the script draws on tiles. */
function tileData({ pickup, dropoff, position, merchant, texts }: TrackedDelivery, tiles: MapTiles): Markup {
  const places = { pickup, dropoff, courier: position };
  return html` data-tiles="${tiles.url}" data-attribution="${tiles.attribution}" data-places="${JSON.stringify(places)}" data-shop="${shortened(merchant, 24)}" data-you="${texts.you}"`;
}

/** The positions of the drawing. */
interface Sketch {
  pickup: Spot;
  dropoff: Spot;
  courier: Spot | null;
  /** From the courier to their next stop. */
  approach: readonly Spot[] | null;
  /** Null if it is not to scale. */
  units_per_mile: number | null;
}

function sketchOf(tracked: TrackedDelivery): Sketch {
  const { pickup, dropoff, position, status } = tracked;
  if (isSameArea(tracked)) return sameAreaSketch(tracked);
  const { spot, units_per_mile } = planeOf([pickup, dropoff, ...(position === null ? [] : [position])]);
  const courier = position === null ? null : spot(position);
  const next = spot(isPickedUp(status) ? dropoff : pickup);
  const approach = courier === null ? null : [courier, next];
  return { pickup: spot(pickup), dropoff: spot(dropoff), courier, approach, units_per_mile };
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
  return { pickup, dropoff, courier, approach: null, units_per_mile: null };
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
  const { merchant, pickup, dropoff, position, eta_precision, texts } = tracked;
  if (isSameArea(tracked)) return texts.map_same_area(merchant);
  const way = texts.map_distance(merchant, miles(greatCircleMiles(pickup, dropoff), texts));
  if (position === null || eta_precision === 'zip') return way;
  return `${way} ${texts.map_courier(miles(greatCircleMiles(position, dropoff), texts))}`;
}

function caption(tracked: TrackedDelivery): string {
  const { status, courier, position, is_ended, texts } = tracked;
  const isUnseen = courier !== null && position === null && !is_ended && !isOver(status);
  if (isUnseen) return texts.no_location;
  return isSameArea(tracked) ? texts.not_to_scale : texts.no_streets;
}

/** A bar of a round number of miles, up to a third of the drawing. */
function scaleBar(units_per_mile: number, texts: Texts): Markup {
  const lengths = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const fitting = lengths.filter((length) => length * units_per_mile <= size.width / 3);
  const length = fitting.at(-1) ?? 0.1;
  const end = tenth(12 + length * units_per_mile);
  return html`<path class="scale" d="M12 ${size.height - 14}v5H${end}v-5"/>
<text class="length" x="12" y="${size.height - 18}">${miles(length, texts)}</text>`;
}

/** A position on the drawing: to the right and down. */
interface Spot {
  x: number;
  y: number;
}

/** The size of the drawing, in its units. */
export const size = { width: 360, height: 210 } as const;
/** Free space at the edges for pins and labels. */
const margin = { x: 46, y: 46 } as const;

/** At least this much is drawn, in degrees: about a fifth of a mile. */
const least = 0.003;
const miles_per_degree = 69.1;

interface Plane {
  spot(point: Point): Spot;
  units_per_mile: number;
}

/** Projects points to the drawing, north up, so that all of them fit inside the margins, centered. */
export function planeOf(points: readonly Point[]): Plane {
  const [south, north] = range(points.map(({ lat }) => lat));
  const [west, east] = range(points.map(({ lng }) => lng));
  const narrowing = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const scale = Math.min(
    (size.width - 2 * margin.x) / Math.max((east - west) * narrowing, least),
    (size.height - 2 * margin.y) / Math.max(north - south, least),
  );
  return {
    spot: ({ lat, lng }) => ({
      x: size.width / 2 + (lng - (west + east) / 2) * narrowing * scale,
      y: size.height / 2 - (lat - (south + north) / 2) * scale,
    }),
    units_per_mile: scale / miles_per_degree,
  };
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
