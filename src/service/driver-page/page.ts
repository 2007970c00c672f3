import { instant } from '../runtime/timestamps.ts';
import { contentPolicy } from '../tracking-page/content-policy.ts';
import { html, type Markup, plain, verbatim } from '../tracking-page/markup.ts';
import { type Moments, momentsIn } from '../tracking-page/moments.ts';
import { palettes } from '../tracking-page/style.ts';
import { failDialog, leaveDialog, proofDialog } from './dialogs.ts';
import { script } from './script.ts';
import { type StopView, stopCard } from './stop-cards.ts';
import { style } from './style.ts';

/** A route that the driver may accept or decline. */
export interface OfferView {
  id: string;
  answer_by: number;
  stops: readonly { kind: 'pickup' | 'dropoff'; address: string }[];
  order_count: number;
}

/** What the driver's page shows. */
export interface DriverPage {
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
