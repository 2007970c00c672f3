import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { hasReached } from '../../domain/delivery-states.ts';
import { greatCircleMiles } from '../../domain/geography.ts';
import { html, type Markup } from './markup.ts';
import { miles } from './miles.ts';
import { type Moments, timeLeft } from './moments.ts';
import type { Names, StatusTexts, Texts } from './texts/page-texts.ts';
import { isOver, isSameArea, type TrackedDelivery } from './tracked-delivery.ts';

/** The status: the state in words, the ETA, and the progress. */
export function statusSection(tracked: TrackedDelivery, moments: Moments): Markup {
  const { headline, sentence } = statusTexts(tracked);
  return html`<section class="card status${isOver(tracked.status) ? ' over' : ''}">
${progress(tracked)}
<div role="status"><h1>${headline}</h1>
<p>${sentence(namesIn(tracked))}</p></div>
${arrival(tracked, moments)}
${pinNote(tracked)}
</section>`;
}

/** The PIN, and what it is for. */
function pinNote({ pin, texts }: TrackedDelivery): Markup | null {
  if (pin === null) return null;
  return html`<div class="pin-note"><p>${texts.pin} <b>${pin}</b></p><p>${texts.pin_hint}</p></div>`;
}

/** The texts of the current status. */
export function statusTexts({ status, texts }: TrackedDelivery): StatusTexts {
  return texts.statuses[status];
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
  if (isOver(status)) return null;
  const bars = milestones.map((milestone) =>
    hasReached(status, milestone) ? html`<i class="done"></i>` : html`<i></i>`,
  );
  return html`<div class="progress" aria-hidden="true">${bars}</div>`;
}

function arrival(tracked: TrackedDelivery, moments: Moments): Markup | null {
  const { status, dropoff_eta, now, texts } = tracked;
  if (status === 'delivered' || status === 'disputed') {
    return estimate(texts.delivered_at, moments.time(deliveredAt(tracked)), proofNote(tracked, moments));
  }
  if (status === 'request' || isOver(status) || hasReached(status, 'arrived_at_dropoff')) return null;
  if (dropoff_eta === null) return null;
  const late = tracked.is_late ? html`<p class="late">${texts.late}</p>` : null;
  if (dropoff_eta < now) return estimate(texts.was_expected_at, moments.time(dropoff_eta), late);
  const parts = [timeLeft(dropoff_eta, now, texts), distance(tracked)].filter((part) => part !== null);
  return estimate(texts.expected_at, moments.time(dropoff_eta), html`<p>${parts.join(' · ')}</p>${late}`);
}

function estimate(label: string, time: Markup, note: Markup | null): Markup {
  return html`<div class="arrival"><p>${label} <b>${time}</b></p>${note}</div>`;
}

/** When the delivery was handed over; a dispute comes later. */
export function deliveredAt({ history, now }: TrackedDelivery): number {
  return history.find(({ status }) => status === 'delivered')?.at ?? history.at(-1)?.at ?? now;
}

/** Only once the courier has picked the order up. */
function distance(tracked: TrackedDelivery): string | null {
  const { status, position, dropoff, texts } = tracked;
  if (position === null || isSameArea(tracked) || !hasReached(status, 'pickup_complete')) return null;
  return texts.away(miles(greatCircleMiles(position, dropoff), texts));
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
