import type { Item } from '../../contract/orders.ts';
import type { CoarsePrecision, DeliveryStatus } from '../../contract/vocabulary.ts';
import { isPickedUp } from '../../domain/delivery-states.ts';
import type { PlannedStop } from '../../domain/driver-plans.ts';
import type { Point } from '../../domain/geography.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { instant } from '../runtime/time.ts';
import matchScript from '../tracking-page/browser/match.js?raw';
import {
  contentPolicy,
  documentHead,
  html,
  type Markup,
  multiline,
  plain,
  themed,
  verbatim,
} from '../tracking-page/markup.ts';
import { type Moments, momentsIn, textsByLanguage } from '../tracking-page/texts.ts';
import alertsScript from './browser/alerts.js?raw';
import rules from './browser/page.css?raw';
import questionsScript from './browser/questions.js?raw';
import refreshScript from './browser/refresh.js?raw';
import sendingScript from './browser/sending.js?raw';
import shiftScript from './browser/shift.js?raw';
import stopsScript from './browser/stops.js?raw';
import tapsScript from './browser/taps.js?raw';

/** The content of the driver's page. */
interface DriverPage {
  /** The last part of the page's address. */
  token: string;
  driver_id: string;
  name: string;
  is_on_duty: boolean;
  is_test: boolean;
  now: number;
  /** The time zone of the stops or the shop; null if unknown: that of the phone. */
  zone: string | null;
  offers: readonly OfferView[];
  stops: readonly StopView[];
  /** When the service last got a position; null before the first. */
  position_at: number | null;
}

/** The routes of one pickup that the driver may accept or decline together. */
export interface OfferView {
  ids: readonly string[];
  answer_by: number;
  stops: readonly { kind: 'pickup' | 'dropoff'; address: string }[];
  order_count: number;
}

/** A stop with its deliveries: at a dropoff those to the recipients of a building. */
export interface StopView {
  kind: PlannedStop['kind'];
  address: string;
  /** Where the house is; null if only the street or the ZIP code is known. */
  house: Point | null;
  deliveries: readonly StopDelivery[];
}

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
  /** How coarse the places are that this rests on; null for a time to the minute. */
  eta_precision: CoarsePrecision | null;
  /** The time that was agreed; null without one. */
  agreed_at: number | null;
  wants: { photo: boolean; signature: boolean; pin: boolean };
  /** Whether wrong PINs have locked the handover. */
  is_locked: boolean;
  shop: { name: string; phone: string; address: string };
  /** Whether it is left at the door if it cannot be handed over; otherwise it is brought back. */
  may_leave: boolean;
}

/** The driver's page as a complete document. */
export function renderDriverPage(page: DriverPage): string {
  const moments = momentsIn(page.zone ?? 'UTC', page.now, textsByLanguage.en);
  return documentOf({
    title: `Stops of ${plain(page.name)}`,
    head: html`<link rel="manifest" href="${encodeURIComponent(page.token)}/manifest">`,
    body: html`${dutyHeader(page)}
<p id="net" role="status" hidden></p>
<p id="said" role="alert"></p>
<p id="news" role="status"></p>
<p id="undo" role="status" hidden></p>
<main data-driver="${page.driver_id}" data-now="${instant(page.now)}" data-zone="${page.zone ?? ''}">
${page.offers.map((offer) => offerCard(offer, moments))}
<h1>${stopCount(page.stops.length)}</h1>
<ol>${page.stops.map((stop) => stopCard(stop, moments))}</ol>
<p class="soft" data-empty${page.stops.length + page.offers.length > 0 ? html` hidden` : null}>${emptyText(page)}</p>
</main>
<section id="unsent" aria-label="Not sent yet" hidden></section>
<footer><p>Updated ${moments.time(page.now)}. ${positionText(page, moments)}</p>
<p><label for="maps">Map opens</label> <select id="maps">${mapApps.map(({ code, name, url }) => html`<option value="${code}" data-url="${url}">${name}</option>`)}</select></p>
<noscript><p>This page needs JavaScript.</p></noscript></footer>
${phoneHints}
${proofDialog}${failDialog}${leaveDialog}${returnTemplate}`,
  });
}

/** The page for an invalid link. */
export function missingDriverPage(): string {
  return documentOf({
    title: "This link isn't valid",
    head: null,
    body: html`<main><h1>This link isn't valid</h1><p>It may have been replaced. Ask your shop for the new link.</p></main>`,
  });
}

/** The page while the operator has suspended the account. */
export function suspendedDriverPage(): string {
  return documentOf({
    title: 'This shop is suspended',
    head: null,
    body: html`<main><h1>This shop is suspended</h1><p>Nothing can be reported here until its account is resumed. Ask your shop.</p></main>`,
  });
}

function documentOf({ title, head, body }: { title: string; head: Markup | null; body: Markup }): string {
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
${documentHead(title, policy, head)}
<style>${verbatim(style)}</style>
${head === null ? null : html`<script type="module">${verbatim(script)}</script>`}
</head>
<body>
${body}
</body>
</html>
`;
  return markup;
}

/**
 * The script: one text, whose parts see each other's functions, and whose last one starts it. A tap is stored first and
 * shown at once, then sent; without a connection it waits, and all are sent in order, each once by its id. The page is
 * loaded again periodically, and what still waits is applied to it.
 */
const script = [
  ...[stopsScript, sendingScript, tapsScript, questionsScript],
  ...[matchScript, refreshScript, alertsScript, shiftScript],
].join('\n');

const style = themed(rules);

/** Besides the service, the page loads its worker, its manifest, and pictures that the phone has just taken. */
const policy = contentPolicy({
  style,
  script,
  rules: ["worker-src 'self'", "manifest-src 'self'"],
  pictures: ['data:', 'blob:'],
});

function dutyHeader({ name, is_on_duty, is_test }: DriverPage): Markup {
  const label = is_on_duty ? 'Go off duty' : 'Go on duty';
  return html`<header><b>${plain(name)}</b>${is_test ? html`<span class="test">Test</span>` : null}
<button type="button" data-tap="duty" data-on="${is_on_duty ? '1' : ''}"${is_on_duty ? html` class="plain"` : null}>${label}</button></header>`;
}

function offerCard({ ids, answer_by, stops, order_count }: OfferView, moments: Moments): Markup {
  const addressesOf = (wanted: 'pickup' | 'dropoff') => [
    ...new Set(stops.flatMap(({ kind, address }) => (kind === wanted ? shortAddress(address) : []))),
  ];
  const line = (label: string, addresses: readonly string[]) =>
    html`<p class="door"><small>${label}</small>${addresses.map((address) => html`<span>${address}</span>`)}</p>`;
  return html`<section class="card offer" data-key="${ids.join(' ')}" data-offers="${ids.join(' ')}">
<h2>${order_count === 1 ? 'New delivery' : `${order_count} new deliveries`}</h2>
<p class="count" data-until="${instant(answer_by)}" role="timer">Answer by ${moments.time(answer_by)}, then the next driver is asked.</p>
${line('Pick up', addressesOf('pickup'))}
${line('Deliver', addressesOf('dropoff'))}
<button type="button" class="main" data-tap="accept">Accept</button>
<button type="button" class="plain" data-tap="decline">Decline</button>
</section>`;
}

function stopCount(count: number): string {
  return count === 1 ? '1 stop' : `${count} stops`;
}

const headings = { pickup: 'Pick up', dropoff: 'Deliver', return: 'Bring back' } as const;

/**
 * A stop: the style shows the first one of the list in full, and one line of each of the others until it is opened. Its
 * buttons carry what they report; the style shows those of the current step.
 */
function stopCard(stop: StopView, moments: Moments): Markup {
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
  const time =
    kind === 'return'
      ? html`when the rest is done`
      : html`expected ${moments.expected(first.eta, first.eta_precision)}`;
  const parts = kind === 'dropoff' ? recipientParts(stop) : orderParts(stop);
  return html`<li class="card stop${isWaiting ? ' waiting' : ''}" data-key="${kind} ${shortAddress(address).toLowerCase()}" data-kind="${kind}" data-step="${step}" data-arrived="${arrived}" data-house="${house === null ? '' : `${house.lat} ${house.lng}`}">
<button type="button" class="fold" aria-expanded="false" data-fold><span><b>${headings[kind]}: ${title}</b> <small>${units === '' ? null : html`${units}, `}${time}</small></span></button>
<div class="body">
<h2><small>${headings[kind]}</small>${title}</h2>
${kind === 'dropoff' && deliveries.length === 1 ? doorTexts(first) : null}
${kind === 'dropoff' ? null : places.map((place) => html`${places.length > 1 ? html`<h3>${plain(place.name)}</h3>` : null}${doorTexts(place)}`)}
<p>${shortAddress(address)}</p>
${kind === 'return' ? null : html`<p class="soft">Expected ${moments.expected(first.eta, first.eta_precision)}${first.agreed_at === null ? null : html`, agreed for ${moments.time(first.agreed_at)}`}</p>`}
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

function shortAddress(address: string): string {
  return plain(address).replace(/, USA$/, '');
}

/** The map apps for the way to a stop: each URL opens the app if the phone has it. */
const mapApps = [
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

function emptyText({ is_on_duty }: DriverPage): string {
  return is_on_duty
    ? 'Nothing to do right now. New deliveries appear here.'
    : 'You are off duty. Go on duty to get deliveries.';
}

function positionText({ position_at, is_on_duty }: DriverPage, moments: Moments): Markup {
  if (position_at === null) return html`Your shop does not know your position.`;
  return html`Your shop saw your position as of ${moments.time(position_at)}.${is_on_duty ? ' It is sent while this page is open.' : ''}`;
}

/** Hints to install the page and to allow its messages. The script shows those that apply to the phone. */
const phoneHints: Markup = html`<section id="phone" aria-label="This phone">
<p data-hint="blocked" hidden>Messages from this page are blocked on this phone: offers are heard only while the page is open. Allow notifications for it in the browser's settings.</p>
<p data-hint="apple" hidden>To hear of offers while the page is closed, choose Share, then Add to Home Screen, and open it from there.</p>
<div class="row"><button type="button" class="plain" data-sound>Try the sound</button><button type="button" class="plain" data-hint="install" data-install hidden>Install on this phone</button></div>
</section>`;

/** A stop to which a parcel is brought back, for what the driver reports without a connection. */
const returnTemplate: Markup = html`<template id="back"><li class="card">
<button type="button" class="fold" aria-expanded="false" data-fold><span><b></b> <small>when the rest is done</small></span></button>
<div class="body"><h2><small>Bring back</small></h2><p data-address></p><ul class="orders"></ul>
<div class="steps"><button type="button" class="main" data-tap="return" data-at="2">Returned</button></div></div></li></template>`;

/** Asks for the proofs that an order requires. The script shows only those. */
const proofDialog: Markup = html`<dialog id="proof" aria-labelledby="proof-title"><form method="dialog">
<h2 id="proof-title">Proof of delivery</h2>
<label data-want="pin" hidden>PIN of the recipient<input name="pin" inputmode="numeric" autocomplete="off" maxlength="10"></label>
<label data-want="photo" hidden>Photo<input name="photo" type="file" accept="image/*" capture="environment"></label>
<label data-want="no_photo" hidden>No photo? Say why<input name="no_photo_reason" autocomplete="off" maxlength="300"></label>
<div data-want="signature" hidden><label>Name of the recipient<input name="signed_by" autocomplete="off" maxlength="100"></label>
<p id="draw">Signature: sign in the field, or use the name.</p>
<canvas width="800" height="300" role="img" aria-labelledby="draw"></canvas>
<div class="row"><button type="button" class="plain" data-sign="clear">Clear</button><button type="button" class="plain" data-sign="name">Use the name</button></div></div>
<p class="alert" role="alert" data-fault></p>
<button type="submit" class="main" value="ok">Delivered</button><button type="submit" class="plain" value="" formnovalidate>Cancel</button>
</form></dialog>`;

/** Asks a driver who goes off duty with stops left. The script fills in how many. */
const leaveDialog: Markup = html`<dialog id="leave" aria-labelledby="leave-title"><form method="dialog">
<h2 id="leave-title">Go off duty with <span data-left></span> left?</h2>
<p>You get no new deliveries. What you have stays with you until your shop gives it to another driver.</p>
<button type="submit" value="ok">Go off duty</button><button type="submit" class="plain" value="">Stay on duty</button>
</form></dialog>`;

const reasons = [
  ['recipient_unreachable', 'Nobody answered'],
  ['recipient_refused', 'The recipient refused it'],
  ['wrong_address', 'Wrong address'],
  ['age_check_failed', 'Age check failed'],
  ['handover_failed', 'Another reason'],
] as const;

/** Leads from a call over the reason to the way back. The script fills in names, phone numbers and the waiting time. */
const failDialog: Markup = html`<dialog id="fail" aria-labelledby="fail-title"><form method="dialog">
<h2 id="fail-title"></h2>
<div data-contact><p><b>1. Try to reach the recipient.</b> <span data-arrived></span></p>
<div class="row"><a data-call></a><a data-call-shop></a></div></div>
<fieldset data-reasons><legend><b>2. Say what happened.</b></legend>
${reasons.map(([code, label], index) => html`<label><input type="radio" name="reason" value="${code}"${index === 0 ? html` checked` : null}>${label}</label>`)}</fieldset>
<label>Note<textarea name="note" rows="2" maxlength="300"></textarea></label>
<p data-back></p>
<button type="submit" class="main" value="ok"></button><button type="submit" class="plain" value="">Cancel</button>
</form></dialog>`;
