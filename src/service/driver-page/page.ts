import type { Item } from '../../contract/orders.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { isPickedUp } from '../../domain/delivery-states.ts';
import type { PlannedStop } from '../../domain/driver-plans.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { instant } from '../runtime/time.ts';
import {
  contentPolicy,
  html,
  type Markup,
  multiline,
  palettes,
  plain,
  themed,
  verbatim,
} from '../tracking-page/markup.ts';
import { type Moments, momentsIn } from '../tracking-page/texts.ts';
import { script } from './script.ts';

/** A route that the driver may accept or decline. */
export interface OfferView {
  id: string;
  answer_by: number;
  stops: readonly { kind: 'pickup' | 'dropoff'; address: string }[];
  order_count: number;
}

/** What the driver's page shows. */
interface DriverPage {
  /** The last part of the page's address. */
  token: string;
  name: string;
  is_on_duty: boolean;
  is_test: boolean;
  now: number;
  /** The time zone of the stops. */
  zone: string;
  offers: readonly OfferView[];
  stops: readonly StopView[];
  /** When the service last got a position; null before the first. */
  position_at: number | null;
}

/** The driver's page as a complete document. */
export function renderDriverPage(page: DriverPage): string {
  const moments = momentsIn(page.zone, page.now, 'en-US');
  return documentOf({
    title: `Stops of ${plain(page.name)}`,
    head: html`<link rel="manifest" href="${encodeURIComponent(page.token)}/manifest">`,
    body: html`${dutyHeader(page)}
<p id="net" role="status" hidden></p>
<p id="said" role="alert"></p>
<main data-now="${instant(page.now)}">
${page.offers.map((offer) => offerCard(offer, moments))}
<h1>${stopCount(page.stops.length)}</h1>
<ol>${page.stops.map((stop) => stopCard(stop, moments))}</ol>
<p class="soft" data-empty${page.stops.length > 0 ? html` hidden` : null}>${emptyText(page)}</p>
</main>
<footer><p>Updated ${moments.time(page.now)}. ${positionText(page, moments)}</p>
<noscript><p>This page needs JavaScript.</p></noscript></footer>
${proofDialog}${failDialog}${leaveDialog}`,
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
<meta charset="utf-8">
${policy}
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="theme-color" content="${palettes.light.paper}" media="(prefers-color-scheme:light)">
<meta name="theme-color" content="${palettes.dark.paper}" media="(prefers-color-scheme:dark)">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
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

/** The inline style of the driver's page: large type and buttons, for a phone in a car. */
const style = themed(`
*,::before,::after{box-sizing:border-box}
*{margin:0}
body{background:var(--paper);color:var(--ink);font:1.125rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
header,main,footer{max-width:34rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:.5rem 1rem;padding-top:1rem;padding-bottom:1rem}
header b{font-size:1.25rem}
h1{font-size:1.25rem;margin:1rem 0 .6rem}
h2{font-size:1.25rem;line-height:1.25}
h2 small{display:block;font-size:1rem;font-weight:600;color:var(--accent)}
ol{list-style:none;padding:0;display:grid;gap:.9rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:16px;padding:1.1rem}
.card>*+*{margin-top:.6rem}
.offer{border:2px solid var(--accent);margin-bottom:.9rem}
.alert{color:var(--bad);font-weight:600}
.soft{color:var(--soft)}
.kept{white-space:pre-wrap}
ul{padding-left:1.2rem}
.row{display:flex;flex-wrap:wrap;gap:.6rem}
.row>*{flex:1 1 8rem}
button,.row a{display:block;width:100%;min-height:3.5rem;padding:.7rem 1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;border-radius:12px;border:2px solid var(--accent);background:var(--accent);color:var(--onaccent);cursor:pointer}
.row a,button.plain{background:var(--card);color:var(--accent)}
button.bad{background:var(--card);color:var(--bad);border-color:var(--bad)}
header button{width:auto}
button:disabled{opacity:.5}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.steps button[data-at]{display:none}
[data-step="0"] .steps [data-at="0"],[data-step="1"] .steps [data-at="1"],[data-step="2"] .steps [data-at="2"]{display:block}
.waiting .steps{display:none}
.waits{display:none}
.waiting .waits{display:block}
.test{border:1px solid;border-radius:99px;padding:.05rem .6rem;font-size:.85rem}
#net,#said{max-width:34rem;margin:0 auto .8rem;padding:.6rem 1rem;font-weight:600}
#net{color:var(--late)}
#said{color:var(--bad)}
#said:empty{display:none}
dialog{margin:auto;width:min(34rem,calc(100vw - 1.5rem));border:1px solid var(--line);border-radius:16px;background:var(--card);color:var(--ink);padding:1.1rem}
dialog::backdrop{background:#0009}
dialog form>*+*,dialog form>div>*+*,fieldset>*+*{margin-top:.8rem}
dialog label{display:block}
fieldset{border:0;padding:0}
fieldset label{display:flex;gap:.7rem;align-items:center;min-height:3rem}
input,textarea{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-radius:10px;padding:.6rem;width:100%}
input[type=radio]{width:1.5rem;height:1.5rem;flex:none}
canvas{display:block;width:100%;height:9rem;background:#fff;border:1px solid var(--soft);border-radius:10px;touch-action:none}
footer{padding-top:1.2rem;padding-bottom:2.5rem;font-size:.95rem;color:var(--soft)}
[hidden]{display:none!important}
`);

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

function offerCard({ id, answer_by, stops, order_count }: OfferView, moments: Moments): Markup {
  const lines = stops.map(
    ({ kind, address }) => html`<li>${kind === 'pickup' ? 'Pick up' : 'Deliver'}: ${plain(address)}</li>`,
  );
  const count = order_count === 1 ? 'New delivery' : `New route: ${order_count} deliveries`;
  return html`<section class="card offer" data-offer="${id}">
<h2>${count}</h2>
<ul>${lines}</ul>
<p class="soft">Answer by ${moments.time(answer_by)}, then the next driver is asked.</p>
<div class="row"><button type="button" data-tap="accept">Accept</button>
<button type="button" class="plain" data-tap="decline">Decline</button></div>
</section>`;
}

function stopCount(count: number): string {
  return count === 1 ? '1 stop' : `${count} stops`;
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

/** Asks for the proofs that an order requires. The script shows only those. */
const proofDialog: Markup = html`<dialog id="proof" aria-labelledby="proof-title"><form method="dialog">
<h2 id="proof-title">Proof of delivery</h2>
<label data-want="pin" hidden>PIN of the recipient<input name="pin" inputmode="numeric" autocomplete="off" maxlength="10"></label>
<label data-want="photo" hidden>Photo<input name="photo" type="file" accept="image/*" capture="environment"></label>
<label data-want="photo" hidden>No photo? Say why<input name="no_photo_reason" autocomplete="off" maxlength="300"></label>
<div data-want="signature" hidden><label>Name of the recipient<input name="signed_by" autocomplete="off" maxlength="100"></label>
<p id="draw">Signature: sign in the field, or use the name.</p>
<canvas width="800" height="300" role="img" aria-labelledby="draw"></canvas>
<div class="row"><button type="button" class="plain" data-sign="clear">Clear</button><button type="button" class="plain" data-sign="name">Use the name</button></div></div>
<p class="alert" role="alert" data-fault></p>
<button type="submit" value="ok">Delivered</button><button type="submit" class="plain" value="" formnovalidate>Cancel</button>
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

/** Asks why something could not be picked up or delivered. */
const failDialog: Markup = html`<dialog id="fail" aria-labelledby="fail-title"><form method="dialog">
<h2 id="fail-title">What happened?</h2>
<fieldset data-reasons><legend class="soft">The parcel goes back to the shop.</legend>
${reasons.map(([code, label], index) => html`<label><input type="radio" name="reason" value="${code}"${index === 0 ? html` checked` : null}>${label}</label>`)}</fieldset>
<label>Note<textarea name="note" rows="2" maxlength="300"></textarea></label>
<button type="submit" value="ok">Report</button><button type="submit" class="plain" value="">Cancel</button>
</form></dialog>`;

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
function stopCard(stop: StopView, moments: Moments): Markup {
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
