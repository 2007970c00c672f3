import { instant } from '../runtime/time.ts';
import match from '../tracking-page/browser/match.js?raw';
import {
  contentPolicy,
  documentHead,
  html,
  type Markup,
  plain,
  themed,
  verbatim,
} from '../tracking-page/markup.ts';
import { type Moments, momentsIn } from '../tracking-page/texts.ts';
import alerts from './browser/alerts.js?raw';
import questions from './browser/questions.js?raw';
import refresh from './browser/refresh.js?raw';
import sending from './browser/sending.js?raw';
import shift from './browser/shift.js?raw';
import stops from './browser/stops.js?raw';
import taps from './browser/taps.js?raw';

import { mapApps, type StopView, shortAddress, stopCard } from './stop-cards.ts';

/**
 * The script: one text, whose parts see each other's functions, and whose last one starts it. A tap is stored first and
 * shown at once, then sent; without a connection it waits, and all are sent in order, each once by its id. The page is
 * loaded again periodically, and what still waits is applied to it.
 */
const script = [stops, sending, taps, questions, match, refresh, alerts, shift].join('\n');

/** The inline style of the driver's page: large type and buttons, for a phone in a car. */
const style = themed(`
*,::before,::after{box-sizing:border-box}
*{margin:0}
body{background:var(--paper);color:var(--ink);font:1.125rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
header,main,footer,#unsent,#phone{max-width:34rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:.5rem 1rem;padding-top:.8rem;padding-bottom:.8rem}
header b{font-size:1.125rem}
header button{width:auto}
h1{font-size:1rem;font-weight:600;color:var(--soft);margin:.2rem 0 .5rem}
h2{font-size:min(1.7rem,10vw);line-height:1.2}
h2 small{display:block;font-size:1rem;font-weight:700;color:var(--accent)}
h3{font-size:1.25rem;line-height:1.25}
dialog h2{font-size:1.35rem}
ol,.orders{list-style:none;padding:0}
ol{display:grid;gap:.6rem;counter-reset:stop}
.card{background:var(--card);border:1px solid var(--line);border-radius:16px;padding:1.1rem}
.offer>*+*,.body>*+*,.recipient>*+*{margin-top:.7rem}
.offer{border:2px solid var(--accent);margin-bottom:.9rem}
.stop{counter-increment:stop}
.stop:first-child .fold,.stop:not(:first-child):not(.open) .body{display:none}
.stop:not(:first-child){padding:0}
.stop:not(:first-child) .body{padding:0 1.1rem 1.1rem}
.stop:not(:first-child) h2{display:none}
.stop .fold{display:flex;gap:.7rem;align-items:center;text-align:left;padding:.7rem 1.1rem;border:0;background:none;color:var(--ink);font-weight:400}
.fold span{flex:1}
.fold small{display:block;font-size:1rem;color:var(--soft)}
.fold::before{content:counter(stop);flex:none;min-width:2rem;line-height:2rem;padding:0 .3rem;border-radius:1rem;background:var(--line);text-align:center;font-weight:700}
.fold::after{content:"";flex:none;width:.65rem;height:.65rem;border:solid var(--soft);border-width:0 3px 3px 0;transform:translateY(-.15rem) rotate(45deg)}
.open .fold::after{transform:translateY(.15rem) rotate(225deg)}
.door{font-size:1.25rem;font-weight:600}
.door small{display:block;font-size:1rem;font-weight:400;color:var(--soft)}
.recipient:not(:only-of-type){border-top:1px solid var(--line);padding-top:.9rem}
.orders label,.orders span{display:flow-root}
.orders li+li{border-top:1px solid var(--line)}
.orders li{padding:.5rem 0}
.orders label{display:flex;gap:.8rem;align-items:center;min-height:3rem}
.alert{color:var(--bad);font-weight:600}
.soft{color:var(--soft)}
.kept{white-space:pre-wrap}
.row,.steps{display:flex;flex-wrap:wrap;gap:.6rem}
.row>*{flex:1 1 6rem}
button,.row a{display:block;width:100%;min-height:max(3rem,48px);padding:.6rem 1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;border-radius:12px;border:2px solid var(--accent);background:var(--accent);color:var(--onaccent);cursor:pointer}
button.main{min-height:max(4.75rem,76px);padding:.6rem .5rem;font-size:min(1.35rem,9vw)}
input::file-selector-button{font:inherit;font-size:min(1em,5.5vw);font-weight:600;margin-right:.7rem;padding:.2rem .7rem;border:0;border-radius:8px;background:var(--accent);color:var(--onaccent)}
@media(max-width:16em){.fold::after{display:none}}
.row a,button.plain{background:var(--card);color:var(--accent)}
button.bad{background:var(--card);color:var(--bad);border-color:var(--bad)}
button:disabled{opacity:.5}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.steps button[data-at]{display:none}
[data-step="0"] .steps [data-at="0"],[data-step="1"] .steps [data-at="1"],[data-step="2"] .steps [data-at="2"]{display:block}
.waiting .steps,.waits,[data-kind=dropoff][data-step="2"] .body>.steps,.steps:not(:has([data-at="0"],[data-at="1"])):not([data-step="2"] *){display:none}
.waiting .waits{display:block}
@media(min-height:30em){.stop:first-child .body>.steps:has(.main),.stop:first-child .recipient:only-of-type>.steps:has(.main){position:sticky;bottom:0;padding:.5rem 0;background:var(--card)}}
.test{border:1px solid;border-radius:99px;padding:.05rem .6rem;font-size:.85rem}
.offer .door span{display:block}
.count{font-weight:600;color:var(--late)}
#net,#said,#news{max-width:34rem;margin:0 auto .8rem;padding:0 1rem;font-weight:600}
#net{color:var(--late)}
#said{color:var(--bad)}
#news{color:var(--accent)}
#said:empty,#news:empty{display:none}
#undo{position:fixed;top:0;left:0;right:0;z-index:1;display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:.6rem 1rem;background:var(--ink);color:var(--paper);font-weight:600}
#undo button{width:auto;flex:none;background:none;color:inherit;border-color:currentColor}
#unsent{padding-top:1rem}
#unsent p{display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:.5rem 0;border-top:1px solid var(--line)}
#unsent button{width:auto;flex:none}
dialog{margin:auto;width:min(34rem,calc(100vw - 1.5rem));border:1px solid var(--line);border-radius:16px;background:var(--card);color:var(--ink);padding:1.1rem}
dialog::backdrop{background:#0009}
dialog form>*+*,dialog form>div>*+*,fieldset>*+*{margin-top:.8rem}
dialog label{display:block}
fieldset{border:0;padding:0}
dialog label input:not([type=radio]),textarea{margin-top:.4rem}
fieldset label+label{margin-top:0}
fieldset label{display:flex;gap:.7rem;align-items:center;min-height:3rem}
input,textarea,select{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-radius:10px;padding:.6rem;width:100%}
select{width:auto;max-width:100%;min-height:max(3rem,48px)}
input[type=radio],input[type=checkbox]{width:1.6rem;height:1.6rem;flex:none;accent-color:var(--accent)}
canvas{display:block;width:100%;height:9rem;background:#fff;border:1px solid var(--soft);border-radius:10px;touch-action:none}
footer{padding-top:1.2rem;padding-bottom:.8rem;font-size:.95rem;color:var(--soft)}
#phone{padding-bottom:2.5rem;font-size:.95rem;color:var(--soft)}
#phone>*+*{margin-top:.7rem}
.offline .unsent :is(.fold,h2) small::after{content:" (not sent yet)";color:var(--late)}
[hidden]{display:none!important}
`);

/** The routes of one pickup that the driver may accept or decline together. */
export interface OfferView {
  ids: readonly string[];
  answer_by: number;
  stops: readonly { kind: 'pickup' | 'dropoff'; address: string }[];
  order_count: number;
}

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

/** The driver's page as a complete document. */
export function renderDriverPage(page: DriverPage): string {
  const moments = momentsIn(page.zone ?? 'UTC', page.now, 'en-US');
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
