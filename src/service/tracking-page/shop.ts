import { html, type Markup } from './markup.ts';
import type { TrackedDelivery } from './tracked-delivery.ts';

/** What was ordered, and how to reach the shop; null if there is nothing to show. */
export function orderSection({ reference, items, shop, merchant, texts }: TrackedDelivery): Markup | null {
  if (reference === '' && items.length === 0 && shop.phone === '') return null;
  const lines = items.map(({ name, quantity }) =>
    quantity === 1 ? html`<li>${name}</li>` : html`<li><b>${quantity} ×</b> ${name}</li>`,
  );
  return html`<section class="card order" aria-labelledby="order">
<h2 id="order">${texts.your_order}</h2>
${reference === '' ? null : html`<p>${texts.reference} <b>${reference}</b></p>`}
${lines.length === 0 ? null : html`<ul>${lines}</ul>`}
${shop.phone === '' ? null : callLink(shop.phone, texts.call_shop(merchant))}
</section>`;
}

/** The logo beside the name of the shop, which says the same. */
export function logoOf({ shop }: TrackedDelivery): Markup | null {
  return shop.logo === '' ? null : html`<img class="logo" src="${shop.logo}" alt="">`;
}

/** A link that calls a number, which is written beside it. */
export function callLink(phone: string, label: string): Markup {
  return html`<p class="call"><a href="tel:+${phone}">${label}</a> <span>${formattedPhone(phone)}</span></p>`;
}

/** `(312) 555-0142` in North America, otherwise `+` and digits. */
function formattedPhone(phone: string): string {
  const [, area, exchange, line] = /^1(\d{3})(\d{3})(\d{4})$/.exec(phone) ?? [];
  return area === undefined ? `+${phone}` : `(${area}) ${exchange}-${line}`.replace(/[ -]/g, nonBreaking);
}

const nonBreakingForms = new Map([
  [' ', '\u00a0'],
  ['-', '\u2011'],
]);

function nonBreaking(character: string): string {
  return nonBreakingForms.get(character) ?? character;
}
