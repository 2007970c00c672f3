import type { Item } from '../../contract/orders.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { isPickedUp } from '../../domain/delivery-states.ts';
import type { PlannedStop } from '../../domain/driver-plans.ts';
import type { Point } from '../../domain/geography.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { instant } from '../runtime/time.ts';
import { html, type Markup, multiline, plain } from '../tracking-page/markup.ts';
import type { Moments } from '../tracking-page/texts.ts';

/** A delivery at a stop, as far as the driver needs to know it. */
export interface StopDelivery {
  id: string;
  status: DeliveryStatus;
  /** When the status was reached. */
  reported_at: number;
  reference: string;
  /** Of the pickup place at a pickup or return, otherwise of the recipient. */
  name: string;
  phone: string;
  unit: string;
  notes: string;
  recipient: string;
  items: readonly Item[];
  items_description: string;
  eta: number;
  /** The time that was agreed; null without one. */
  agreed_at: number | null;
  wants: { photo: boolean; signature: boolean; pin: boolean };
  /** Whether wrong PINs have locked the handover. */
  is_locked: boolean;
  shop: { name: string; phone: string; address: string };
  /** Whether it is left at the door if it cannot be handed over; otherwise it is brought back. */
  may_leave: boolean;
}

/** A stop with its deliveries: at a dropoff those to the recipients of a building. */
export interface StopView {
  kind: PlannedStop['kind'];
  address: string;
  /** Where the house is; null if only the street or the ZIP code is known. */
  house: Point | null;
  deliveries: readonly StopDelivery[];
}

const headings = { pickup: 'Pick up', dropoff: 'Deliver', return: 'Bring back' } as const;

/**
 * A stop: the style shows the first one of the list in full, and one line of each of the others until it is opened. Its
 * buttons carry what they report; the style shows those of the current step.
 */
export function stopCard(stop: StopView, moments: Moments): Markup {
  const { kind, address, house, deliveries } = stop;
  const [first] = deliveries;
  if (first === undefined) return html``;
  const places = placesOf(deliveries);
  const names = places.map((each) => plain(each.name)).join(', ');
  const title = kind === 'dropoff' && deliveries.length > 1 ? `${deliveries.length} recipients` : names;
  const step = stepOf(stop);
  const arrived = step === 2 ? instant(Math.max(...deliveries.map((each) => each.reported_at))) : '';
  const units = [...new Set(places.map((each) => plain(each.unit)))].filter((unit) => unit !== '').join(', ');
  const isWaiting = kind === 'dropoff' && deliveries.every((each) => !isPickedUp(each.status));
  const time = kind === 'return' ? html`when the rest is done` : html`expected ${moments.time(first.eta)}`;
  const parts = kind === 'dropoff' ? recipientParts(stop) : orderParts(stop);
  return html`<li class="card stop${isWaiting ? ' waiting' : ''}" data-key="${kind} ${shortAddress(address).toLowerCase()}" data-kind="${kind}" data-step="${step}" data-arrived="${arrived}" data-house="${house === null ? '' : `${house.lat} ${house.lng}`}">
<button type="button" class="fold" aria-expanded="false" data-fold><span><b>${headings[kind]}: ${title}</b> <small>${units === '' ? null : html`${units}, `}${time}</small></span></button>
<div class="body">
<h2><small>${headings[kind]}</small>${title}</h2>
${kind === 'dropoff' && deliveries.length === 1 ? doorTexts(first) : null}
${kind === 'dropoff' ? null : places.map((place) => html`${places.length > 1 ? html`<h3>${plain(place.name)}</h3>` : null}${doorTexts(place)}`)}
<p>${shortAddress(address)}</p>
${kind === 'return' ? null : html`<p class="soft">Expected ${moments.time(first.eta)}${first.agreed_at === null ? null : html`, agreed for ${moments.time(first.agreed_at)}`}</p>`}
<div class="row">${mapLink(address, title)}${kind === 'dropoff' && deliveries.length > 1 ? null : places.map((place) => callLink(place, places.length > 1))}</div>
${parts}
${stepButtons(stop, title)}
</div>
</li>`;
}

/** The shops of a pickup or return, which may share an address, or the recipients of a dropoff, each with all notes. */
function placesOf(deliveries: readonly StopDelivery[]): StopDelivery[] {
  const isSame = (left: StopDelivery) => (right: StopDelivery) =>
    left.name === right.name && left.phone === right.phone && left.unit === right.unit;
  const places = deliveries.filter((each, index) => deliveries.findIndex(isSame(each)) === index);
  return places.map((place) => {
    const notes = deliveries.filter(isSame(place)).map((each) => each.notes.trim());
    return { ...place, notes: [...new Set(notes)].join('\n') };
  });
}

function stepOf({ kind, deliveries }: StopView): number {
  const statuses = deliveries.map(({ status }) => status);
  const reached = (...wanted: readonly DeliveryStatus[]) => statuses.some((each) => wanted.includes(each));
  if (kind === 'pickup') return reached('arrived_at_pickup') ? 2 : reached('enroute_pickup') ? 1 : 0;
  if (kind === 'return') return 2;
  if (reached('arrived_at_dropoff', 'dropoff_complete')) return 2;
  return reached('enroute_dropoff') ? 1 : 0;
}

/** The unit and notes, which a driver needs at the door. */
function doorTexts({ unit, notes }: StopDelivery): Markup {
  return html`${unit.trim() === '' ? null : html`<p class="door"><small>Unit</small>${plain(unit)}</p>`}
${notes.trim() === '' ? null : html`<p class="door kept"><small>Notes</small>${multiline(notes.trim())}</p>`}`;
}

export function shortAddress(address: string): string {
  return plain(address).replace(/, USA$/, '');
}

/** The map apps for the way to a stop: each URL opens the app if the phone has it. */
export const mapApps = [
  { code: 'google', name: 'Google Maps', url: 'https://www.google.com/maps/dir/?api=1&destination=' },
  { code: 'apple', name: 'Apple Maps', url: 'https://maps.apple.com/?dirflg=d&daddr=' },
  { code: 'waze', name: 'Waze', url: 'https://waze.com/ul?navigate=yes&q=' },
] as const;

function mapLink(address: string, title: string): Markup {
  const map = `${mapApps[0].url}${encodeURIComponent(address)}`;
  return html`<a href="${map}" data-map="${address}" target="_blank" rel="noreferrer" aria-label="Map to ${title}">Map</a>`;
}

function callLink({ name, phone }: Pick<StopDelivery, 'name' | 'phone'>, isNamed: boolean): Markup {
  if (phone === '') return html``;
  return html`<a href="tel:+${phone}" aria-label="Call ${plain(name)}">Call${isNamed ? ` ${plain(name)}` : ''}</a>`;
}

/** The orders of a pickup, each of which can be left out, or of a return. */
function orderParts({ kind, deliveries }: StopView): Markup {
  const hasChoice = kind === 'pickup' && deliveries.length > 1;
  const rows = deliveries.map((each) => {
    const text = html`<span>${referenceOf(each)}${plain(each.recipient)}: ${itemsText(each)}</span>`;
    return hasChoice
      ? html`<li data-key="${each.id}" data-id="${each.id}"><label><input type="checkbox" checked>${text}</label></li>`
      : html`<li data-key="${each.id}" data-id="${each.id}">${text}</li>`;
  });
  return html`<ul class="orders">${rows}</ul>`;
}

/** The recipients of a building, each with proof and result of their own. */
function recipientParts({ deliveries }: StopView): Markup {
  const isAlone = deliveries.length === 1;
  return html`${deliveries.map((each) => recipientPart(each, isAlone))}`;
}

function recipientPart(delivery: StopDelivery, isAlone: boolean): Markup {
  const { id, wants, is_locked: isLocked, status } = delivery;
  const name = plain(delivery.name);
  const flag = (is: boolean) => (is ? '1' : '');
  const deliver = html`<button type="button" class="main" data-tap="deliver" data-at="2" aria-label="Delivered: ${name}">Delivered</button>`;
  return html`<section class="recipient${isPickedUp(status) ? '' : ' waiting'}" data-key="${id}" data-id="${id}" data-photo="${flag(wants.photo)}" data-signature="${flag(wants.signature)}" data-pin="${flag(wants.pin)}" data-name="${name}" data-phone="${delivery.phone}" data-shop="${plain(delivery.shop.name)}" data-shop-phone="${delivery.shop.phone}" data-shop-address="${shortAddress(delivery.shop.address)}" data-leave="${flag(delivery.may_leave)}">
${isAlone ? null : html`<h3>${name}</h3>${doorTexts(delivery)}`}
<p>${referenceOf(delivery)}${itemsText(delivery)}</p>
${isAlone ? null : html`<div class="row">${callLink(delivery, false)}</div>`}
<p class="waits soft">Pick it up first.</p>
${isLocked ? lockText(delivery) : null}
<div class="steps">${isLocked ? null : deliver}</div>
<div class="steps"><button type="button" class="bad" data-tap="fail" data-at="2" data-question="dropoff" aria-label="Could not deliver: ${name}">Could not deliver</button></div>
</section>`;
}

function referenceOf({ reference }: StopDelivery): Markup {
  return reference === '' ? html`` : html`<b>${plain(reference)}</b> `;
}

function itemsText({ items, items_description }: StopDelivery): string {
  const named = items.map(({ name, quantity }) => `${quantity} × ${plain(name)}`).join(', ');
  return named || plain(items_description) || 'Parcel';
}

function lockText({ shop }: StopDelivery): Markup {
  const name = plain(shop.name);
  return html`<p class="alert">Locked after ${max_wrong_pins} wrong PINs. Only your shop can lift it.</p>
<div class="row"><a href="tel:+${shop.phone}">Call ${name}</a></div>`;
}

/** The steps of a stop that count for all its orders. */
function stepButtons({ kind, deliveries }: StopView, title: string): Markup {
  const main = (tap: string, at: number, label: string) =>
    html`<button type="button" class="main" data-tap="${tap}" data-at="${at}" aria-label="${label}: ${title}">${label}</button>`;
  if (kind === 'return') return html`<div class="steps">${main('return', 2, 'Returned')}</div>`;
  const way = [main(`start_${kind}`, 0, 'Start'), main(`arrive_${kind}`, 1, 'I am there')];
  if (kind === 'dropoff') return html`<div class="steps">${way}</div>`;
  const taken = deliveries.length > 1 ? `Picked up ${deliveries.length} orders` : 'Picked up';
  return html`<div class="steps">${way}${main('pick_up', 2, taken)}</div>
<div class="steps"><button type="button" class="bad" data-tap="fail" data-at="2" data-question="pickup" aria-label="Could not pick up: ${title}">Could not pick up</button></div>`;
}
