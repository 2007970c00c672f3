import { html, type Markup } from './markup.ts';
import { callLink } from './shop.ts';
import type { TrackedDelivery } from './tracked-delivery.ts';

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
