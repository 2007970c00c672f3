import type { MapTiles } from '../../domain/operator-settings.ts';
import { html, type Markup } from '../pages/markup.ts';
import type { Texts } from './texts.ts';
import { isOverForRecipient, shortened, type TrackedDelivery } from './tracked-delivery.ts';

/**
 * A map with streets: pickup, dropoff and courier on the tiles of the operator's server, drawn by the script. Null
 * without tiles, and while the house of the recipient is not known: a pin in the middle of a ZIP code is no help.
 */
export function mapSection(tracked: TrackedDelivery, tiles: MapTiles | null): Markup | null {
  const { merchant, pickup, dropoff, position, status, courier, is_ended, texts } = tracked;
  if (tiles === null || dropoff === null) return null;
  const places = JSON.stringify({ pickup, dropoff, courier: position });
  const isUnseen = courier !== null && position === null && !is_ended && !isOverForRecipient(status);
  return html`<section class="card map" hidden data-tiles="${tiles.url}" data-attribution="${tiles.attribution}" data-places="${places}" data-shop="${shortened(merchant, 24)}" data-you="${texts.you}">
<div class="tiles" role="region" aria-label="${texts.map_title(merchant)}" data-kept></div>
${isUnseen ? html`<p>${texts.no_location}</p>` : null}
</section>`;
}

/** `1.4 miles`, as the crow flies. */
export function milesText(
  distance: number,
  texts: Pick<Texts, 'miles' | 'one_mile' | 'under_a_tenth'>,
): string {
  if (distance < 0.1) return texts.under_a_tenth;
  const shown = distance < 9.95 ? distance.toFixed(1) : String(Math.round(distance));
  return shown === '1.0' ? texts.one_mile : texts.miles(shown.replace(/\.0$/, ''));
}
