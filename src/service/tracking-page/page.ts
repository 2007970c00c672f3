/** The recipient's page as HTML, section by section. What it may show of a delivery is in `tracked-delivery.ts`. */
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { zoneName } from '../../domain/addresses.ts';
import { hasReached } from '../../domain/delivery-states.ts';
import { hour_ms } from '../../domain/durations.ts';
import { etaWindow, roughLeft } from '../../domain/estimates.ts';
import { greatCircleMiles } from '../../domain/geography.ts';
import type { MapTiles } from '../../domain/operator-settings.ts';
import type { Names, StatusTexts } from '../../domain/recipient-texts.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { type Language, languages } from '../http/page-language.ts';
import match from '../pages/browser/match.js?raw';
import tileMaps from '../pages/browser/tiles.js?raw';
import { leafletFiles } from '../pages/leaflet.ts';
import {
  contentPolicy,
  documentHead,
  html,
  type Markup,
  multiline,
  themed,
  verbatim,
} from '../pages/markup.ts';
import { instant } from '../runtime/time.ts';
import rules from './browser/page.css?raw';
import script from './browser/page.js?raw';
import recipientMap from './browser/recipient-map.js?raw';
import { type Moments, milesText, momentsIn, type Texts, textsByLanguage, timeLeft } from './texts.ts';
import {
  isOverForRecipient,
  shortened,
  type TrackedDelivery,
  trackingDataOf,
  type Viewing,
} from './tracked-delivery.ts';

/** The inline style of the page. */
export const style = themed(rules);

/** The tracking page of a delivery, as a complete document. */
export function renderPage(row: DeliveryRow, viewing: Viewing): string {
  const tracked = trackingDataOf(row, viewing);
  const seconds = refreshSeconds(tracked);
  const refresh = `<meta http-equiv="refresh" content="${Math.max(30, seconds)}">`;
  return pageOf({
    pictures: pictureOrigins(tracked),
    tiles: viewing.tiles,
    language: tracked.language,
    title: `${statusTexts(tracked).headline} · ${tracked.merchant}`,
    preview: previewOf(tracked),
    scripts: html`${seconds === 0 ? null : html`<noscript>${verbatim(refresh)}</noscript>`}
<script type="module">${verbatim(scriptFor(viewing.tiles))}</script>`,
    body: body(tracked, { seconds, tiles: viewing.tiles }),
  });
}

export function missingPage(language: Language): string {
  const { invalid_link: headline, invalid_link_hint, tracking } = textsByLanguage[language];
  return pageOf({
    language,
    pictures: [],
    tiles: null,
    title: headline,
    preview: null,
    scripts: null,
    body: html`<body>
<header><b>${tracking}</b></header>
<main><div><section class="card status"><h1>${headline}</h1>
<p>${invalid_link_hint}</p>
</section></div></main>
</body>`,
  });
}

interface Page {
  pictures: readonly string[];
  /** The tile server of its map; null: there is none. */
  tiles: MapTiles | null;
  language: Language;
  title: string;
  preview: Markup | null;
  scripts: Markup | null;
  body: Markup;
}

function scriptFor(tiles: MapTiles | null): string {
  return [match, script, ...(tiles === null ? [] : [tileMaps, recipientMap])].join('\n');
}

function pageOf({ pictures, tiles, language, title, preview, scripts, body }: Page): string {
  const policy = contentPolicy({ style, script: scriptFor(tiles), tiles, pictures: ['data:', ...pictures] });
  const { markup } = html`<!doctype html>
<html lang="${language}">
<head>
${documentHead(title, policy, leafletFiles(tiles, '../'))}
${preview}
<style>${verbatim(style)}</style>
${scripts}
</head>
${body}
</html>
`;
  return markup;
}

/**
 * What a messenger shows of the link (the Open Graph protocol). It is kept where it was sent, and read by whoever sees
 * the message: it has neither a state nor a name but that of the shop.
 */
function previewOf({ merchant, shop, texts }: TrackedDelivery): Markup {
  const picture = URL.parse(shop.logo)?.protocol === 'https:' ? shop.logo : '';
  const properties = [
    ['og:type', 'website'],
    ['og:site_name', merchant],
    ['og:title', texts.preview_title(merchant)],
    ['og:description', texts.preview],
    ...(picture === '' ? [] : [['og:image', picture]]),
  ];
  const lines = properties.map(
    ([name = '', content = '']) => html`<meta property="${name}" content="${content}">\n`,
  );
  return html`<meta name="description" content="${texts.preview}">\n${lines}`;
}

/** The origins of the logo, which the shop has chosen, and of the pictures that the reader may open. */
function pictureOrigins({ shop, proof }: TrackedDelivery): string[] {
  const urls = [shop.logo, ...proof.map(({ picture }) => picture ?? '')].map((url) => URL.parse(url));
  return [...new Set(urls.flatMap((url) => (url?.protocol === 'https:' ? [url.origin] : [])))];
}

function body(
  tracked: TrackedDelivery,
  { seconds, tiles }: { seconds: number; tiles: MapTiles | null },
): Markup {
  const { merchant, is_test, now, zone, texts } = tracked;
  const shown_zone = zone ?? 'UTC';
  const moments = momentsIn(shown_zone, now, texts);
  return html`<body>
<header><b>${logoOf(tracked)}${merchant}</b>${is_test ? html`<span class="test">${texts.test}</span>` : html`<span>${texts.tracking}</span>`}</header>
<main data-refresh="${seconds}" data-now="${instant(now)}">
${sections(tracked, { moments, tiles })}
</main>
<footer><p>${texts.updated_at} ${moments.time(now)} · ${texts.times_are_in} <span data-zone="${zone ?? ''}">${zoneName(shown_zone, now, texts.locale)}</span></p>
${languageSwitch(tracked)}
<p data-stale role="status" hidden>${texts.stale}</p>
${seconds === 0 ? null : html`<noscript><p>${texts.reloads}</p></noscript>`}</footer>
</body>`;
}

/** Links to the same page in the other languages. */
function languageSwitch({ language }: TrackedDelivery): Markup {
  const links = languages
    .filter((other) => other !== language)
    .map(
      (other) =>
        html`<a href="?lang=${other}" lang="${other}" hreflang="${other}">${textsByLanguage[other].language}</a>`,
    );
  return html`<p>${links}</p>`;
}

function sections(
  tracked: TrackedDelivery,
  { moments, tiles }: { moments: Moments; tiles: MapTiles | null },
): Markup {
  return html`<div>${statusSection(tracked, moments)}
${mapSection(tracked, tiles)}
<div class="refused" role="status" data-kept hidden></div>
${notesSection(tracked)}</div>
<div>${courierSection(tracked)}
${timelineSection(tracked, moments)}
${orderSection(tracked)}</div>`;
}

/**
 * When to reload: shortly after a delivery its proof may follow, and after a failure or cancellation another try, to which
 * the link leads then; later nothing changes anymore.
 */
function refreshSeconds(tracked: TrackedDelivery): number {
  if (!tracked.is_ended) return 15;
  const { status, history, proof, now } = tracked;
  const mayGoOn = status === 'delivered' ? proof.length === 0 : isOverForRecipient(status);
  return mayGoOn && now - (history.at(-1)?.at ?? now) < hour_ms ? 60 : 0;
}

/** The status: the state in words, the ETA, and the progress. */
export function statusSection(tracked: TrackedDelivery, moments: Moments): Markup {
  const { headline, sentence } = statusTexts(tracked);
  const { shop, merchant, texts } = tracked;
  return html`<section class="card status${isOverForRecipient(tracked.status) ? ' over' : ''}">
${progress(tracked)}
<div role="status"><h1>${headline}</h1>
<p>${sentence(namesIn(tracked))}</p></div>
${arrival(tracked, moments)}
${needsCall(tracked) ? callLink(shop.phone, texts.call_shop(merchant)) : null}
${pinNote(tracked)}
</section>`;
}

/** Whether the reader has a reason to call the shop, which then comes first. */
function needsCall(tracked: TrackedDelivery): boolean {
  if (tracked.shop.phone === '') return false;
  const { status, is_late } = tracked;
  return isOverForRecipient(status) || status === 'disputed' || is_late || overdueBy(tracked) > 0;
}

/** How long ago it should have arrived at the latest; 0 while it is still expected, and where nothing is. */
function overdueBy({ status, dropoff_eta, eta_precision, now }: TrackedDelivery): number {
  const isExpected =
    status !== 'request' && !isOverForRecipient(status) && !hasReached(status, 'arrived_at_dropoff');
  if (!isExpected || dropoff_eta === null) return 0;
  return Math.max(0, now - (eta_precision === null ? dropoff_eta : etaWindow(dropoff_eta).to));
}

/** The whole hours by which the delivery is later than promised, or without a promise later than expected. */
function hoursLate(tracked: TrackedDelivery): number {
  const { promised_at, dropoff_eta, is_late, now } = tracked;
  if (promised_at === null || !is_late) return Math.floor(overdueBy(tracked) / hour_ms);
  return Math.floor((Math.max(now, dropoff_eta ?? now) - promised_at) / hour_ms);
}

function pinNote({ pin, texts }: TrackedDelivery): Markup | null {
  if (pin === null) return null;
  return html`<div class="pin-note"><p>${texts.pin} <b>${pin}</b></p><p>${texts.pin_hint}</p></div>`;
}

function statusTexts({ status, shop, texts, is_among_others }: TrackedDelivery): StatusTexts {
  if (is_among_others && status === 'arrived_at_dropoff') return texts.in_building;
  return (shop.kind === 'food' ? texts.food[status] : undefined) ?? texts.statuses[status];
}

function namesIn({ merchant, courier, texts }: TrackedDelivery): Names {
  return { merchant, courier: courier?.name ?? texts.courier };
}

const milestones: readonly DeliveryStatus[] = [
  'driver_assigned',
  'pickup_complete',
  'enroute_dropoff',
  'delivered',
];

/** The progress bar, hidden from screen readers: the words say the same. */
function progress({ status }: TrackedDelivery): Markup | null {
  if (isOverForRecipient(status)) return null;
  const bars = milestones.map((milestone) =>
    hasReached(status, milestone) ? html`<i class="done"></i>` : html`<i></i>`,
  );
  return html`<div class="progress" aria-hidden="true">${bars}</div>`;
}

function arrival(tracked: TrackedDelivery, moments: Moments): Markup | null {
  const { status, dropoff_eta, eta_precision, now, texts } = tracked;
  if (status === 'delivered' || status === 'disputed') {
    return estimate(texts.delivered_at, moments.time(deliveredAt(tracked)), proofNote(tracked, moments));
  }
  if (status === 'request' || isOverForRecipient(status) || hasReached(status, 'arrived_at_dropoff'))
    return null;
  if (dropoff_eta === null) return null;
  const hours = hoursLate(tracked);
  const lateness = hours > 0 ? texts.overdue(hours) : tracked.is_late ? texts.late : null;
  const late = lateness === null ? null : html`<p class="late">${lateness}</p>`;
  const time = moments.expected(dropoff_eta, eta_precision);
  if (overdueBy(tracked) > 0) {
    const hint = hours > 0 ? html`<p>${texts.overdue_hint(tracked.merchant)}</p>` : null;
    return estimate(texts.was_expected_at, time, html`${late}${hint}`);
  }
  const at = eta_precision !== null ? now + roughLeft(dropoff_eta - now) : dropoff_eta;
  const parts = [timeLeft(at, now, texts), distance(tracked)].filter((part) => part !== null);
  return estimate(texts.expected_at, time, html`<p>${parts.join(' · ')}</p>${late}`);
}

function estimate(label: string, time: Markup, note: Markup | null): Markup {
  return html`<div class="arrival"><p>${label} <b>${time}</b></p>${note}</div>`;
}

/** When the delivery was handed over; a dispute comes later. */
function deliveredAt({ history, now }: TrackedDelivery): number {
  return history.find(({ status }) => status === 'delivered')?.at ?? history.at(-1)?.at ?? now;
}

/** Only once the courier has picked the order up, and if it is known where it goes. */
function distance(tracked: TrackedDelivery): string | null {
  const { status, position, dropoff, texts } = tracked;
  if (position === null || dropoff === null || !hasReached(status, 'pickup_complete')) return null;
  return texts.away(milesText(greatCircleMiles(position, dropoff), texts));
}

/** A picture that is only requested from the courier company once the reader opens it. */
function pictureOf(url: string | null, type: 'photo' | 'signature', texts: Texts): Markup | null {
  if (url === null) return null;
  return html`<details class="proof"><summary>${texts.show_picture[type]}</summary>
<img src="${url}" alt="${texts.picture[type]}" loading="lazy"></details>`;
}

function proofNote({ proof, texts }: TrackedDelivery, moments: Moments): Markup | null {
  const notes = proof.map(
    ({ type, at, picture }) =>
      html`<p>${texts.proofs[type]}${texts.at}${moments.time(at)}</p>${type === 'pin' ? null : pictureOf(picture, type, texts)}`,
  );
  return notes.length === 0 ? null : html`${notes}`;
}

/** The expected steps after the last past ones; those before are folded. */
export function timelineSection(tracked: TrackedDelivery, moments: Moments): Markup {
  const { texts } = tracked;
  const past = pastOf(tracked);
  const folded = Math.max(0, past.length - unfolded_steps);
  const steps = past.map(({ status, at }, index) => {
    const isLast = index === past.length - 1;
    return html`<li class="${isLast ? 'now' : 'past'}"${isLast ? current : null}>
<span>${stepText(tracked, status)}</span>${moments.time(at)}</li>`;
  });
  const { eta_precision } = tracked;
  const about = eta_precision === null ? `${texts.about} ` : '';
  const coming = comingOf(tracked).map(({ status, at }) => {
    const expected = at === null ? null : html`<small>${about}${moments.expected(at, eta_precision)}</small>`;
    return html`<li class="coming"><span>${stepText(tracked, status)}<i class="unseen">, ${texts.still_to_come}</i></span>${expected}</li>`;
  });
  return html`<section class="card timeline${isOverForRecipient(tracked.status) ? ' over' : ''}" aria-labelledby="steps">
<h2 id="steps">${texts.timeline}</h2>
${folded === 0 ? null : html`<details><summary>${texts.earlier(folded)}</summary><ol>${steps.slice(0, folded)}</ol></details>`}
<ol>${steps.slice(folded)}${coming}</ol>
</section>`;
}

const unfolded_steps = 2;

function stepText(tracked: TrackedDelivery, status: DeliveryStatus): string {
  const { headline, step = headline } = statusTexts({ ...tracked, status });
  return step;
}

const current = html` aria-current="step"`;

/** A delivery that is only stored has no history yet. */
function pastOf({ history, created_at }: TrackedDelivery): TrackedDelivery['history'] {
  return history.length > 0 ? history : [{ status: 'request', at: created_at }];
}

interface Coming {
  status: DeliveryStatus;
  /** When it is expected, if known. */
  at: number | null;
}

/** The steps that matter to the recipient; couriers report more, or fewer. */
function comingOf({ status, is_ended, pickup_eta, dropoff_eta, now }: TrackedDelivery): Coming[] {
  if (status === 'enroute_to_return') return [{ status: 'returned', at: null }];
  if (is_ended || isOverForRecipient(status)) return [];
  const expected = (eta: number | null) => (eta !== null && eta > now && status !== 'request' ? eta : null);
  const steps: Coming[] = [
    { status: 'driver_assigned', at: null },
    { status: 'pickup_complete', at: expected(pickup_eta) },
    { status: 'enroute_dropoff', at: null },
    { status: 'delivered', at: expected(dropoff_eta) },
  ];
  return steps.filter((step) => !hasReached(status, step.status));
}

/** The courier; null before one is assigned. */
export function courierSection({ courier, is_ended, texts }: TrackedDelivery): Markup | null {
  if (courier === null) return null;
  const { name, vehicle, phone } = courier;
  const sign = name === null ? person : html`${initial(name)}`;
  return html`<section class="card courier" aria-labelledby="courier">
<h2 id="courier">${is_ended ? texts.delivered_by : texts.your_courier}</h2>
<div><b class="face" aria-hidden="true">${sign}</b>
<p><b>${name ?? texts.no_name}</b>${vehicle === null ? null : html`<small>${vehicle}</small>`}</p></div>
${phone === null ? null : callLink(phone, texts.call_courier)}
</section>`;
}

function initial(name: string): string {
  return ([...name][0] ?? '').toUpperCase();
}

const person = html`<svg viewBox="0 0 24 24" width="24" height="24"><circle cx="12" cy="8" r="4"/>
<path d="M4 21c0-5 4-7 8-7s8 2 8 7z"/></svg>`;

/** The ordered items and the shop's phone number; null if there is nothing to show. */
function orderSection(tracked: TrackedDelivery): Markup | null {
  const { reference, items, shop, merchant, texts } = tracked;
  const call =
    shop.phone === '' || needsCall(tracked) ? null : callLink(shop.phone, texts.call_shop(merchant));
  if (reference === '' && items.length === 0 && call === null) return null;
  const lines = items.map(({ name, quantity }) =>
    quantity === 1 ? html`<li>${name}</li>` : html`<li><b>${quantity} ×</b> ${name}</li>`,
  );
  return html`<section class="card order" aria-labelledby="order">
<h2 id="order">${texts.your_order}</h2>
${reference === '' ? null : html`<p>${texts.reference} <b>${reference}</b></p>`}
${lines.length === 0 ? null : html`<ul>${lines}</ul>`}
${call}
</section>`;
}

/** The logo beside the name of the shop, which says the same. */
function logoOf({ shop }: TrackedDelivery): Markup | null {
  return shop.logo === '' ? null : html`<img class="logo" src="${shop.logo}" alt="">`;
}

/** A link that calls a number, which is written beside it. */
function callLink(phone: string, label: string): Markup {
  return html`<p class="call"><a href="tel:+${phone}">${label}</a> <span>${formattedPhone(phone)}</span></p>`;
}

/** `(312) 555-0142` in North America, otherwise `+` and digits. */
function formattedPhone(phone: string): string {
  const [, area, exchange, line] = /^1(\d{3})(\d{3})(\d{4})$/.exec(phone) ?? [];
  // With a non-breaking space and hyphen.
  return area === undefined ? `+${phone}` : `(${area})\u00a0${exchange}\u2011${line}`;
}

/** The most characters that the service accepts. */
const max_characters = 500;

/** The form with the recipient's notes for the courier; null once they cannot be changed. The script saves it. */
function notesSection({ notes, has_own_driver, texts }: TrackedDelivery): Markup | null {
  if (notes === null) return null;
  return html`<section class="card notes" aria-labelledby="notes">
<h2 id="notes">${texts.notes}</h2>
<form data-saved="${texts.saved}" data-failed="${texts.not_saved}" data-409="${texts.too_late}" data-429="${texts.too_often}">
<textarea name="notes" rows="3" maxlength="${max_characters}" aria-labelledby="notes" aria-describedby="notes-hint">
${multiline(notes)}</textarea>
<p id="notes-hint">${texts.notes_hint(has_own_driver)}</p>
<p class="save"><button>${texts.save}</button> <span role="status" data-kept></span></p>
</form>
<noscript>${notes === '' ? null : html`<p class="kept">${multiline(notes)}</p>`}<p>${texts.needs_script}</p></noscript>
</section>`;
}

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
