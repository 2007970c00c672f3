/**
 * The driver's page as HTML: its offers, its stops and what the driver can tap at each. The service renders it whole at each
 * request, and its script (`browser/`) replaces what differs from the page that is shown.
 */
import type { Item } from '../../contract/orders.ts';
import { type CoarsePrecision, type DeliveryStatus, handoverFailures } from '../../contract/vocabulary.ts';
import { isPickedUp } from '../../domain/delivery-states.ts';
import type { OfferTerms, PlannedStop } from '../../domain/driver-plans.ts';
import type { Point } from '../../domain/geography.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { termsText } from '../fleet/push-texts.ts';
import type { Language } from '../http/page-language.ts';
import matchScript from '../pages/browser/match.js?raw';
import {
  contentPolicy,
  documentHead,
  html,
  jsonData,
  type Markup,
  multiline,
  plain,
  themed,
  verbatim,
} from '../pages/markup.ts';
import { instant } from '../runtime/time.ts';
import { type Moments, momentsIn, textsByLanguage } from '../tracking-page/texts.ts';
import alertsScript from './browser/alerts.js?raw';
import rules from './browser/page.css?raw';
import questionsScript from './browser/questions.js?raw';
import refreshScript from './browser/refresh.js?raw';
import sendingScript from './browser/sending.js?raw';
import shiftScript from './browser/shift.js?raw';
import stopsScript from './browser/stops.js?raw';
import tapsScript from './browser/taps.js?raw';
import { type DriverTexts, driverTexts } from './driver-texts.ts';

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
  /** How many deliveries the driver has handed over today; 0 while stops are left. */
  delivered_today: number;
  language: Language;
}

/** The routes of one pickup that the driver may accept or decline together. */
export interface OfferView {
  ids: readonly string[];
  answer_by: number;
  stops: readonly PlannedStop[];
  order_count: number;
  terms: OfferTerms;
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
  tracking_url: string;
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

interface Words extends Moments {
  texts: DriverTexts['page'];
  driver: string;
  language: Language;
}

/**
 * The driver's page as a complete document. It does not say when it was made, so that it is the same until something
 * changes: the script knows the time of the service from the answer.
 */
export function renderDriverPage(page: DriverPage): string {
  const { language } = page;
  const { page: texts, script: texts_of_script } = driverTexts[language];
  const moments = momentsIn(page.zone ?? 'UTC', page.now, textsByLanguage[language]);
  const words = { ...moments, texts, language, driver: plain(page.name) };
  return documentOf({
    language,
    title: texts.title(plain(page.name)),
    head: html`<link rel="manifest" href="${encodeURIComponent(page.token)}/manifest">
<script type="application/json" id="texts">${jsonData(texts_of_script)}</script>`,
    body: html`${dutyHeader(page, texts)}
<p id="net" role="status" hidden></p>
<div id="messages"><p id="said" role="alert"></p><p id="news" role="status"></p><p id="undo" role="status" hidden></p></div>
<div id="hints" role="status"><button type="button" class="plain" data-hint="mute" data-sound${page.is_on_duty ? null : html` hidden`}>${texts.mute}</button><p data-hint="place" hidden></p></div>
<main data-driver="${page.driver_id}" data-zone="${page.zone ?? ''}">
${page.offers.map((offer) => offerCard(offer, words))}
<h1>${texts.stops(page.stops.length)}</h1>
<ol>${page.stops.map((stop) => stopCard(stop, words))}</ol>
${emptyPart(page, texts)}
</main>
<section id="unsent" aria-label="${texts.unsent}" hidden></section>
${settings(texts)}
<noscript><p>${texts.needs_script}</p></noscript>
${proofDialog(texts)}${failDialog(texts)}${leaveDialog(texts)}${returnTemplate(texts)}`,
  });
}

export function missingDriverPage(language: Language): string {
  const { invalid_link: title, invalid_link_hint: hint } = driverTexts[language].page;
  return noticePage(language, title, hint);
}

/** The page while the operator has suspended the account. */
export function suspendedDriverPage(language: Language): string {
  const { suspended: title, suspended_hint: hint } = driverTexts[language].page;
  return noticePage(language, title, hint);
}

function noticePage(language: Language, title: string, hint: string): string {
  return documentOf({
    language,
    title,
    head: null,
    body: html`<main><h1>${title}</h1><p>${hint}</p></main>`,
  });
}

interface PageDocument {
  language: Language;
  title: string;
  /** Null: the page has no script. */
  head: Markup | null;
  body: Markup;
}

function documentOf({ language, title, head, body }: PageDocument): string {
  const { markup } = html`<!doctype html>
<html lang="${language}">
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

function dutyHeader({ name, is_on_duty, is_test }: DriverPage, texts: Words['texts']): Markup {
  const label = is_on_duty ? texts.duty.off : texts.duty.on;
  return html`<header><b>${plain(name)}</b>${is_test ? html`<span class="test">${texts.test}</span>` : null}
<button type="button" data-tap="duty" data-on="${is_on_duty ? '1' : ''}"${is_on_duty ? html` class="plain"` : null}>${label}</button></header>`;
}

/** What stands in the place of stops. */
function emptyPart(page: DriverPage, texts: Words['texts']): Markup {
  const { delivered_today: count, is_on_duty } = page;
  const isHidden = page.stops.length + page.offers.length > 0;
  return html`<div class="card empty" data-empty${isHidden ? html` hidden` : null}>
${count === 0 ? null : html`<p><b>${count}</b> ${texts.delivered_today(count)}</p>`}
<p class="soft">${is_on_duty ? texts.nothing_to_do : texts.off_duty}</p>
</div>`;
}

function offerCard(
  { ids, answer_by, stops, order_count, terms }: OfferView,
  { texts, time, language }: Words,
): Markup {
  const addressesOf = (wanted: 'pickup' | 'dropoff') => [
    ...new Set(stops.flatMap(({ kind, address }) => (kind === wanted ? shortAddress(address) : []))),
  ];
  const line = (label: string, addresses: readonly string[]) =>
    html`<p class="door"><small>${label}</small>${addresses.map(addressLines)}</p>`;
  return html`<section class="card offer" data-key="${ids.join(' ')}" data-offers="${ids.join(' ')}">
<h2>${texts.new_deliveries(order_count)}</h2>
<p class="count" data-until="${instant(answer_by)}" role="timer">${texts.answer_by} ${time(answer_by)}, ${texts.then_next}</p>
<progress max="90" value="90" aria-hidden="true"></progress>
<p class="terms">${termsText(terms, language)}</p>
${line(texts.headings.pickup, addressesOf('pickup'))}
${line(texts.headings.dropoff, addressesOf('dropoff'))}
<button type="button" class="main" data-tap="accept">${texts.accept}</button>
<button type="button" class="plain" data-tap="decline">${texts.decline}</button>
</section>`;
}

/**
 * A stop: the style shows the first one of the list in full, and one line of each of the others until it is opened. The
 * street stands first: it is what a driver looks for at the door. Its buttons carry what they report; the style shows
 * those of the current step.
 */
function stopCard(stop: StopView, words: Words): Markup {
  const { kind, address, house, deliveries } = stop;
  const { texts, time } = words;
  const [first] = deliveries;
  if (first === undefined) return html``;
  const places = placesOf(deliveries);
  const isBuilding = kind === 'dropoff' && deliveries.length > 1;
  const title = isBuilding
    ? texts.recipients(deliveries.length)
    : places.map((each) => plain(each.name)).join(', ');
  const { street, town } = linesOf(address);
  const step = stepOf(stop);
  const arrived = step === 2 ? instant(Math.max(...deliveries.map((each) => each.reported_at))) : '';
  const unit = isBuilding
    ? ''
    : [...new Set(places.map((each) => plain(each.unit)))].filter(Boolean).join(', ');
  const isWaiting = kind === 'dropoff' && deliveries.every((each) => !isPickedUp(each.status));
  const expected = html`${texts.expected} ${words.expected(first.eta, first.eta_precision)}`;
  const parts = kind === 'dropoff' ? recipientParts(stop, words) : orderParts(stop, texts);
  return html`<li class="card stop${isWaiting ? ' waiting' : ''}" data-key="${kind} ${shortAddress(address).toLowerCase()}" data-kind="${kind}" data-title="${title}" data-step="${step}" data-arrived="${arrived}" data-house="${house === null ? '' : `${house.lat} ${house.lng}`}">
<button type="button" class="fold" aria-expanded="false" data-fold><span><b>${texts.headings[kind]}: ${street}</b> <small>${unit === '' ? null : html`${unit}, `}${title}, ${kind === 'return' ? texts.when_the_rest_is_done : expected}</small></span></button>
<div class="body">
<h2><small>${texts.headings[kind]}</small>${street}</h2>
<p class="who">${unit === '' ? null : html`<span class="unit"><small>${texts.unit}</small> ${unit}</span> `}<b>${title}</b></p>
${town === '' ? null : html`<p class="soft">${town}</p>`}
${isBuilding ? null : places.map((place) => html`${places.length > 1 ? html`<h3>${plain(place.name)}${place.unit.trim() === '' ? null : `, ${plain(place.unit)}`}</h3>` : null}${notesOf(place, texts)}`)}
${kind === 'return' ? null : html`<p class="soft capital${first.agreed_at === null ? ' expected' : ''}">${expected}${first.agreed_at === null ? null : html`, ${texts.agreed_for} ${time(first.agreed_at)}`}</p>`}
<div class="row">${mapLink(address, title, texts)}${isBuilding ? null : places.map((place) => callLink(place, texts, places.length > 1))}${kind === 'dropoff' && !isBuilding ? textLink(first, words) : null}</div>
${parts}
${stepButtons(stop, title, texts)}
</div>
</li>`;
}

function addressLines(address: string): Markup {
  const { street, town } = linesOf(address);
  return html`<span>${street}${town === '' ? null : html`<small>${town}</small>`}</span>`;
}

/** The street and number of an address, and what follows. */
function linesOf(address: string): { street: string; town: string } {
  const [street = '', ...town] = shortAddress(address).split(', ');
  return { street, town: town.join(', ') };
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

function notesOf({ notes }: StopDelivery, texts: Words['texts']): Markup {
  if (notes.trim() === '') return html``;
  return html`<p class="door kept"><small>${texts.notes}</small>${multiline(notes.trim())}</p>`;
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

function mapLink(address: string, title: string, texts: Words['texts']): Markup {
  const map = `${mapApps[0].url}${encodeURIComponent(address)}`;
  return html`<a href="${map}" data-map="${address}" target="_blank" rel="noreferrer" aria-label="${texts.map_to(title)}">${texts.map}</a>`;
}

function callLink(
  { name, phone }: Pick<StopDelivery, 'name' | 'phone'>,
  texts: Words['texts'],
  isNamed: boolean,
): Markup {
  if (phone === '') return html``;
  const named = texts.call_name(plain(name));
  return html`<a href="tel:+${phone}" aria-label="${named}">${isNamed ? named : texts.call}</a>`;
}

/** Opens the phone's messages with the link of the tracking page. */
function textLink({ name, phone, shop, tracking_url }: StopDelivery, { texts, driver }: Words): Markup {
  if (phone === '') return html``;
  const message = texts.on_my_way({ driver, shop: plain(shop.name), link: tracking_url });
  return html`<a href="sms:+${phone}?&body=${encodeURIComponent(message)}" aria-label="${texts.text_name(plain(name))}">${texts.text}</a>`;
}

/** The orders of a pickup, each of which can be left out, or of a return. */
function orderParts({ kind, deliveries }: StopView, texts: Words['texts']): Markup {
  const hasChoice = kind === 'pickup' && deliveries.length > 1;
  const rows = deliveries.map((each) => {
    const text = html`<span>${referenceOf(each)}<bdi>${plain(each.recipient)}</bdi>: ${itemsText(each, texts)}</span>`;
    return hasChoice
      ? html`<li data-key="${each.id}" data-id="${each.id}"><label><input type="checkbox" checked>${text}</label></li>`
      : html`<li data-key="${each.id}" data-id="${each.id}">${text}</li>`;
  });
  return html`<ul class="orders">${rows}</ul>`;
}

/** The recipients of a building, each with proof and result of their own. */
function recipientParts({ deliveries }: StopView, words: Words): Markup {
  const isAlone = deliveries.length === 1;
  return html`${deliveries.map((each) => recipientPart(each, words, isAlone))}
${isAlone ? null : html`<div class="all" data-all hidden><button type="button" class="main" data-tap="deliver">${words.texts.delivered_all}</button></div>`}`;
}

/** In a building a recipient is one line until it is opened: the unit first. Several that need no PIN or signature can be ticked. */
function recipientPart(delivery: StopDelivery, words: Words, isAlone: boolean): Markup {
  const { texts } = words;
  const { id, wants, is_locked: isLocked, status } = delivery;
  const name = plain(delivery.name);
  const unit = plain(delivery.unit);
  const flag = (is: boolean) => (is ? '1' : '');
  const deliver = html`<button type="button" class="main" data-tap="deliver" data-at="2" aria-label="${texts.delivered}: ${name}">${texts.delivered}</button>`;
  const canTick = !wants.pin && !wants.signature && !isLocked && isPickedUp(status);
  const hint = isolated([unit === '' ? '' : name, plain(delivery.notes)].filter(Boolean), ': ');
  const line = html`<div class="line">${canTick ? html`<input type="checkbox" data-tick aria-label="${texts.choose(name)}">` : null}<button type="button" class="fold" aria-expanded="false" data-fold><span><b>${unit === '' ? name : unit}</b>${hint.markup === '' ? null : html` <small>${hint}</small>`}</span></button><div class="steps">${isLocked ? null : deliver}</div></div>`;
  return html`<section class="recipient${isPickedUp(status) ? '' : ' waiting'}" data-key="${id}" data-id="${id}" data-photo="${flag(wants.photo)}" data-signature="${flag(wants.signature)}" data-pin="${flag(wants.pin)}" data-name="${name}" data-phone="${delivery.phone}" data-shop="${plain(delivery.shop.name)}" data-shop-phone="${delivery.shop.phone}" data-shop-address="${shortAddress(delivery.shop.address)}" data-leave="${flag(delivery.may_leave)}">
${isAlone ? null : line}
<div class="part">${isAlone ? null : notesOf(delivery, texts)}
<p>${referenceOf(delivery)}${itemsText(delivery, texts)}</p>
${isAlone ? null : html`<div class="row">${callLink(delivery, texts, false)}${textLink(delivery, words)}</div>`}
<p class="waits soft">${texts.pick_it_up_first}</p>
<p class="alert" data-refused hidden></p>
${isLocked ? lockText(delivery, texts) : null}
${isAlone ? html`<div class="steps">${isLocked ? null : deliver}</div>` : null}
<div class="steps"><button type="button" class="bad" data-tap="fail" data-at="2" data-question="dropoff" aria-label="${texts.could_not_deliver}: ${name}">${texts.could_not_deliver}</button></div>
</div></section>`;
}

function referenceOf({ reference }: StopDelivery): Markup {
  return reference === '' ? html`` : html`<b>${plain(reference)}</b> `;
}

function itemsText({ items, items_description }: StopDelivery, texts: Words['texts']): Markup {
  const named = items.map(({ name, quantity }) => `${quantity} × ${plain(name)}`);
  return isolated(named.length > 0 ? named : [plain(items_description) || texts.parcel], ', ');
}

/** Joins texts, each of which may be written from right to left. */
function isolated(parts: readonly string[], separator: string): Markup {
  return html`${parts.map((part, index) => html`${index === 0 ? null : separator}<bdi>${part}</bdi>`)}`;
}

function lockText({ shop }: StopDelivery, texts: Words['texts']): Markup {
  return html`<p class="alert">${texts.locked(max_wrong_pins)}</p>
<div class="row"><a href="tel:+${shop.phone}">${texts.call_name(plain(shop.name))}</a></div>`;
}

/** The steps of a stop that count for all its orders. */
function stepButtons({ kind, deliveries }: StopView, title: string, texts: Words['texts']): Markup {
  const main = (tap: string, at: number, label: string) =>
    html`<button type="button" class="main" data-tap="${tap}" data-at="${at}" aria-label="${label}: ${title}">${label}</button>`;
  if (kind === 'return') return html`<div class="steps">${main('return', 2, texts.returned)}</div>`;
  const way = [main(`start_${kind}`, 0, texts.start), main(`arrive_${kind}`, 1, texts.i_am_there)];
  if (kind === 'dropoff') return html`<div class="steps">${way}</div>`;
  const taken = deliveries.length > 1 ? texts.picked_up_orders(deliveries.length) : texts.picked_up;
  return html`<div class="steps">${way}${main('pick_up', 2, taken)}</div>
<div class="steps"><button type="button" class="bad" data-tap="fail" data-at="2" data-question="pickup" aria-label="${texts.could_not_pick_up}: ${title}">${texts.could_not_pick_up}</button></div>`;
}

/**
 * Behind a gear: the map app, the sound, hints to install the page and to allow its messages, of which the script shows
 * those that apply to the phone, and what the page knows.
 */
function settings(texts: Words['texts']): Markup {
  const apps = mapApps.map(
    ({ code, name, url }) => html`<option value="${code}" data-url="${url}">${name}</option>`,
  );
  return html`<footer><details id="phone"><summary><span aria-hidden="true">⚙</span> ${texts.settings}</summary>
<p><label for="maps">${texts.map_opens}</label> <select id="maps">${apps}</select></p>
<p data-hint="blocked" hidden>${texts.blocked}</p>
<p data-hint="apple" hidden>${texts.apple}</p>
<div class="row"><button type="button" class="plain" data-sound>${texts.sound}</button><button type="button" class="plain" data-hint="install" data-install hidden>${texts.install}</button></div>
<p data-updated></p>
</details></footer>`;
}

/** A stop to which a parcel is brought back, for what the driver reports without a connection. */
function returnTemplate(texts: Words['texts']): Markup {
  return html`<template id="back"><li class="card">
<button type="button" class="fold" aria-expanded="false" data-fold><span><b></b> <small>${texts.when_the_rest_is_done}</small></span></button>
<div class="body"><h2><small>${texts.headings.return}</small></h2><p class="who"><b></b></p><p class="soft" data-town></p><ul class="orders"></ul>
<div class="steps"><button type="button" class="main" data-tap="return" data-at="2">${texts.returned}</button></div></div></li></template>`;
}

/** Asks for the proofs that an order requires. The script shows only those. */
function proofDialog(texts: Words['texts']): Markup {
  const chips = texts.no_photo_reasons.map(
    (reason) => html`<button type="button" class="plain chip" data-reason>${reason}</button>`,
  );
  return html`<dialog id="proof" aria-labelledby="proof-title"><form method="dialog">
<h2 id="proof-title">${texts.proof}</h2>
<label data-want="pin" hidden>${texts.pin}<input name="pin" inputmode="numeric" autocomplete="off" maxlength="10"></label>
<label class="tile" data-want="photo" hidden><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><path d="M4 7h3l2-3h6l2 3h3v13H4z"/><circle cx="12" cy="13" r="4"/></svg><img alt="" hidden><span>${texts.take_photo}</span><input name="photo" type="file" accept="image/*" capture="environment" aria-label="${texts.photo}"></label>
<details data-want="no_photo" hidden><summary>${texts.no_photo}</summary><div class="chips">${chips}</div>
<input name="no_photo_reason" autocomplete="off" maxlength="300" aria-label="${texts.no_photo}"></details>
<div data-want="signature" hidden><label>${texts.signed_by}<input name="signed_by" autocomplete="off" maxlength="100"></label>
<p id="draw">${texts.signature}</p>
<canvas width="800" height="300" role="img" aria-labelledby="draw"></canvas>
<div class="row"><button type="button" class="plain" data-sign="clear">${texts.clear}</button><button type="button" class="plain" data-sign="name">${texts.use_name}</button></div></div>
<p class="alert" role="alert" data-fault></p>
<button type="submit" class="main" value="ok">${texts.delivered}</button><button type="submit" class="plain" value="" formnovalidate>${texts.cancel}</button>
</form></dialog>`;
}

/** Asks a driver who goes off duty with stops left. */
function leaveDialog(texts: Words['texts']): Markup {
  return html`<dialog id="leave" aria-labelledby="leave-title"><form method="dialog">
<h2 id="leave-title"></h2>
<p>${texts.leave_hint}</p>
<button type="submit" value="ok">${texts.go_off_duty}</button><button type="submit" class="plain" value="">${texts.stay}</button>
</form></dialog>`;
}

/** Leads from a call over the reason to the way back. The script fills in names, phone numbers and the waiting time. */
function failDialog(texts: Words['texts']): Markup {
  const choices = handoverFailures.map(
    (code, index) =>
      html`<label><input type="radio" name="reason" value="${code}"${index === 0 ? html` checked` : null}>${texts.reasons[code]}</label>`,
  );
  return html`<dialog id="fail" aria-labelledby="fail-title"><form method="dialog">
<h2 id="fail-title"></h2>
<div data-contact><p><b>${texts.reach}</b> <span data-arrived></span></p>
<div class="row"><a data-call></a><a data-call-shop></a></div></div>
<fieldset data-reasons><legend><b>${texts.say_what}</b></legend>
${choices}</fieldset>
<label>${texts.note}<textarea name="note" rows="2" maxlength="300"></textarea></label>
<p data-back></p>
<button type="submit" class="main" value="ok"></button><button type="submit" class="plain" value="">${texts.cancel}</button>
</form></dialog>`;
}
