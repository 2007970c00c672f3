import type { Item } from '../../contract/orders.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { isPickedUp } from '../../domain/delivery-states.ts';
import type { PlannedStop } from '../../domain/driver-plans.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { html, type Markup, multiline, plain } from '../tracking-page/markup.ts';
import type { Moments } from '../tracking-page/moments.ts';

/** A delivery at a stop, as far as the driver needs to know it. */
export interface StopDelivery {
  id: string;
  order_id: string;
  status: DeliveryStatus;
  reference: string;
  /** Of the pickup place at a pickup or return, otherwise of the recipient. */
  name: string;
  phone: string;
  unit: string;
  notes: string;
  items: readonly Item[];
  items_description: string;
  eta: number;
  wants: { photo: boolean; signature: boolean; pin: boolean };
  /** Whether wrong PINs have locked the handover. */
  is_locked: boolean;
  shop: { name: string; phone: string };
}

/** A stop with its deliveries: one at a dropoff. */
export interface StopView {
  kind: PlannedStop['kind'];
  address: string;
  deliveries: readonly StopDelivery[];
}

/** The steps of a stop in order; the last one completes it. */
const steps = {
  pickup: [
    ['start_pickup', 'Start'],
    ['arrive_pickup', 'Arrived'],
    ['pick_up', 'Picked up'],
  ],
  dropoff: [
    ['start_dropoff', 'Start'],
    ['arrive_dropoff', 'Arrived'],
    ['deliver', 'Delivered'],
  ],
  return: [['return', 'Returned']],
} as const;

const headings = { pickup: 'Pick up', dropoff: 'Deliver', return: 'Bring back' } as const;

/** The card of a stop. Its buttons carry what they report; the style shows the one of the current step. */
export function stopCard(stop: StopView, moments: Moments): Markup {
  const { kind, address, deliveries } = stop;
  const [first] = deliveries;
  if (first === undefined) return html``;
  const places = placesOf(deliveries);
  const name = places.map((each) => plain(each.name)).join(', ');
  const isWaiting = kind === 'dropoff' && deliveries.some(({ status }) => !isPickedUp(status));
  const isLocked = kind === 'dropoff' && first.is_locked;
  const ids = deliveries.map(({ id }) => id).join(' ');
  const wants = (what: keyof StopDelivery['wants']) =>
    deliveries.some((each) => each.wants[what]) ? '1' : '';
  return html`<li class="card stop${isWaiting ? ' waiting' : ''}" data-key="${kind} ${ids}" data-kind="${kind}" data-place="${address.toLowerCase()}" data-ids="${ids}" data-step="${stepOf(stop)}" data-photo="${wants('photo')}" data-signature="${wants('signature')}" data-pin="${wants('pin')}">
<h2><small>${headings[kind]}</small>${name}</h2>
${places.map(({ unit }) => html`<p>${unit === '' ? null : html`<b>${plain(unit)}</b>, `}${plain(address)}</p>`)}
${kind === 'return' ? null : html`<p class="soft">Expected ${moments.time(first.eta)}</p>`}
${noteTexts(deliveries)}
<ul>${deliveries.flatMap(itemLines)}</ul>
${links(stop, places)}
<p class="waits soft">Pick it up first.</p>
${isLocked ? lockText(first) : null}
<div class="steps">${buttons(kind, name, isLocked)}</div>
</li>`;
}

/** The shops of a pickup or return, which may share an address, or the one recipient of a dropoff. */
function placesOf(deliveries: readonly StopDelivery[]): StopDelivery[] {
  return deliveries.filter(
    ({ name, phone, unit }, index) =>
      deliveries.findIndex((other) => other.name === name && other.phone === phone && other.unit === unit) ===
      index,
  );
}

function stepOf({ kind, deliveries }: StopView): number {
  const statuses = deliveries.map(({ status }) => status);
  const reached = (...wanted: readonly DeliveryStatus[]) => statuses.some((each) => wanted.includes(each));
  if (kind === 'pickup') return reached('arrived_at_pickup') ? 2 : reached('enroute_pickup') ? 1 : 0;
  if (kind === 'return') return 0;
  if (reached('arrived_at_dropoff', 'dropoff_complete')) return 2;
  return reached('enroute_dropoff') ? 1 : 0;
}

function noteTexts(deliveries: readonly StopDelivery[]): Markup[] {
  const notes = new Set(deliveries.map(({ notes: text }) => text.trim()).filter((text) => text !== ''));
  return [...notes].map((text) => html`<p class="kept">${multiline(text)}</p>`);
}

function itemLines({ reference, items, items_description }: StopDelivery): Markup[] {
  const named = items.map(({ name, quantity }) => `${quantity} × ${plain(name)}`).join(', ');
  const text = named || plain(items_description) || 'Parcel';
  return [html`<li>${reference === '' ? null : html`<b>${plain(reference)}</b> `}${text}</li>`];
}

function links({ address }: StopView, places: readonly StopDelivery[]): Markup {
  const query = new URLSearchParams({ api: '1', destination: address });
  const map = `https://www.google.com/maps/dir/?${query}`;
  const calls = places.flatMap(({ name, phone }) =>
    phone === ''
      ? []
      : [
          html`<a href="tel:+${phone}" aria-label="Call ${plain(name)}">Call${places.length > 1 ? ` ${plain(name)}` : ''}</a>`,
        ],
  );
  const to = places.map(({ name }) => plain(name)).join(', ');
  return html`<div class="row">${calls}<a href="${map}" target="_blank" rel="noreferrer" aria-label="Map to ${to}">Map</a></div>`;
}

function lockText({ shop }: StopDelivery): Markup {
  const name = plain(shop.name);
  return html`<p class="alert">Locked after ${max_wrong_pins} wrong PINs. Only your shop can lift it.</p>
<div class="row"><a href="tel:+${shop.phone}">Call ${name}</a></div>`;
}

function buttons(kind: PlannedStop['kind'], name: string, isLocked: boolean): Markup {
  const possible = steps[kind].filter(([tap]) => tap !== 'deliver' || !isLocked);
  const main = possible.map(
    ([tap, label], at) =>
      html`<button type="button" data-tap="${tap}" data-at="${at}" aria-label="${label}: ${name}">${label}</button>`,
  );
  if (kind === 'return') return html`${main}`;
  const [label, question] =
    kind === 'pickup' ? ['Could not pick up', 'pickup'] : ['Could not deliver', 'dropoff'];
  return html`${main}<button type="button" class="bad" data-tap="fail" data-at="2" data-question="${question}" aria-label="${label}: ${name}">${label}</button>`;
}
