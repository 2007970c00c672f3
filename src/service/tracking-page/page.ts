import { zoneName } from '../../domain/time-zones.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { instant } from '../runtime/timestamps.ts';
import { contentPolicy } from './content-policy.ts';
import { courierSection } from './courier.ts';
import { mapSection } from './map.ts';
import { html, type Markup, verbatim } from './markup.ts';
import { type Moments, momentsIn } from './moments.ts';
import { notesSection } from './notes.ts';
import { script } from './script.ts';
import { logoOf, orderSection } from './shop.ts';
import { deliveredAt, statusSection, statusTexts } from './status.ts';
import { palettes, style } from './style.ts';
import { type Language, languages, texts } from './texts/texts.ts';
import { timelineSection } from './timeline.ts';
import { type TrackedDelivery, trackingDataOf, type Viewing } from './tracked-delivery.ts';

/** The tracking page of a delivery, as a complete document. */
export function renderPage(row: DeliveryRow, viewing: Viewing): string {
  const tracked = trackingDataOf(row, viewing);
  const seconds = refreshSeconds(tracked);
  const refresh = `<meta http-equiv="refresh" content="${Math.max(30, seconds)}">`;
  return pageOf({
    pictures: pictureOrigins(tracked),
    language: tracked.language,
    title: `${statusTexts(tracked).headline} · ${tracked.merchant}`,
    scripts: html`${seconds === 0 ? null : html`<noscript>${verbatim(refresh)}</noscript>`}
<script type="module">${verbatim(script)}</script>`,
    body: body(tracked, seconds),
  });
}

/** The page for an invalid link. */
export function missingPage(language: Language): string {
  const { invalid_link: headline, invalid_link_hint, tracking } = texts[language];
  return pageOf({
    language,
    pictures: [],
    title: headline,
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
  /** The origins of its pictures. */
  pictures: readonly string[];
  language: Language;
  title: string;
  scripts: Markup | null;
  body: Markup;
}

function pageOf({ pictures, language, title, scripts, body }: Page): string {
  const { markup } = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
${contentPolicy({ style, script, pictures: ['data:', ...pictures] })}
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="theme-color" content="${palettes.light.paper}" media="(prefers-color-scheme:light)">
<meta name="theme-color" content="${palettes.dark.paper}" media="(prefers-color-scheme:dark)">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${verbatim(style)}</style>
${scripts}
</head>
${body}
</html>
`;
  return markup;
}

/** The origins of the logo, which the shop has chosen, and of the pictures that the reader may open. */
function pictureOrigins({ shop, proof }: TrackedDelivery): string[] {
  const urls = [shop.logo, ...proof.map(({ picture }) => picture ?? '')].map((url) => URL.parse(url));
  return [...new Set(urls.flatMap((url) => (url?.protocol === 'https:' ? [url.origin] : [])))];
}

function body(tracked: TrackedDelivery, seconds: number): Markup {
  const { merchant, is_test, now, zone, texts: own } = tracked;
  const shown = zone ?? 'UTC';
  const moments = momentsIn(shown, now, own.locale);
  return html`<body>
<header><b>${logoOf(tracked)}${merchant}</b>${is_test ? html`<span class="test">${own.test}</span>` : html`<span>${own.tracking}</span>`}</header>
<main data-refresh="${seconds}" data-now="${instant(now)}">
${sections(tracked, moments)}
</main>
<footer><p>${own.updated_at} ${moments.time(now)}. ${own.times_are_in} <span data-zone="${zone ?? ''}">${zoneName(shown, now, own.locale)}</span>.</p>
${languageSwitch(tracked)}
<p data-stale role="status" hidden>${own.stale}</p>
${seconds === 0 ? null : html`<noscript><p>${own.reloads}</p></noscript>`}</footer>
</body>`;
}

/** Links to the same page in the other languages. */
function languageSwitch({ language }: TrackedDelivery): Markup {
  const links = languages
    .filter((other) => other !== language)
    .map(
      (other) =>
        html`<a href="?lang=${other}" lang="${other}" hreflang="${other}">${texts[other].language}</a>`,
    );
  return html`<p>${links}</p>`;
}

function sections(tracked: TrackedDelivery, moments: Moments): Markup {
  return html`<div>${statusSection(tracked, moments)}
${mapSection(tracked)}
${notesSection(tracked)}</div>
<div>${courierSection(tracked)}
${timelineSection(tracked, moments)}
${orderSection(tracked)}</div>`;
}

const hour_ms = 60 * 60_000;

/** When to reload: the proof of a delivery may follow shortly after it; then nothing changes anymore. */
function refreshSeconds(tracked: TrackedDelivery): number {
  if (!tracked.is_ended) return 15;
  const awaitsProof = tracked.status === 'delivered' && tracked.proof.length === 0;
  return awaitsProof && tracked.now - deliveredAt(tracked) < hour_ms ? 60 : 0;
}
