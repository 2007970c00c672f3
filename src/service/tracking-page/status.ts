import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { hasReached } from '../../domain/delivery-states.ts';
import { greatCircleMiles } from '../../domain/geography.ts';
import { isOver, isSameArea, type Journey } from './journey.ts';
import { html, type Markup } from './markup.ts';
import { type Moments, timeLeft } from './moments.ts';
import { wordsFor } from './words.ts';

/** The status: the state in words, the ETA, and the progress. */
export function statusSection(journey: Journey, moments: Moments): Markup {
  const { headline, sentence } = wordsFor(journey);
  return html`<section class="card status${isOver(journey.status) ? ' over' : ''}">
${progress(journey)}
<div role="status"><h1>${headline}</h1>
<p>${sentence}</p></div>
${arrival(journey, moments)}
</section>`;
}

const milestones: readonly DeliveryStatus[] = [
  'driver_assigned',
  'pickup_complete',
  'enroute_dropoff',
  'delivered',
];

/** The progress bar, hidden from screen readers: the words say the same. */
function progress({ status }: Journey): Markup | null {
  if (isOver(status)) return null;
  const bars = milestones.map((milestone) =>
    hasReached(status, milestone) ? html`<i class="done"></i>` : html`<i></i>`,
  );
  return html`<div class="progress" aria-hidden="true">${bars}</div>`;
}

function arrival(journey: Journey, moments: Moments): Markup | null {
  const { status, dropoff_eta, now } = journey;
  if (status === 'delivered' || status === 'disputed') {
    return estimate('Delivered', moments.time(deliveredAt(journey)), proofNote(journey, moments));
  }
  if (status === 'request' || isOver(status) || hasReached(status, 'arrived_at_dropoff')) return null;
  if (dropoff_eta < now) {
    return estimate('Was expected', moments.time(dropoff_eta), html`<p class="late">Running late</p>`);
  }
  const parts = [timeLeft(dropoff_eta, now), distance(journey)].filter((part) => part !== null);
  return estimate('Estimated arrival', moments.time(dropoff_eta), html`<p>${parts.join(' · ')}</p>`);
}

function estimate(label: string, time: Markup, note: Markup | null): Markup {
  return html`<div class="arrival"><p>${label} <b>${time}</b></p>${note}</div>`;
}

/** When the delivery was handed over; a dispute comes later. */
export function deliveredAt({ history, now }: Journey): number {
  return history.find(({ status }) => status === 'delivered')?.at ?? history.at(-1)?.at ?? now;
}

/** Only once the courier has picked the order up. */
function distance(journey: Journey): string | null {
  const { status, position, dropoff } = journey;
  if (position === null || isSameArea(journey) || !hasReached(status, 'pickup_complete')) return null;
  return `${miles(greatCircleMiles(position, dropoff))} away`;
}

/** `1.4 miles`, as the crow flies. */
export function miles(distance: number): string {
  if (distance < 0.1) return 'less than 0.1 miles';
  const shown = distance < 9.95 ? distance.toFixed(1) : String(Math.round(distance));
  return shown === '1.0' ? '1 mile' : `${shown.replace(/\.0$/, '')} miles`;
}

const proofWords = { photo: 'Photo taken', signature: 'Signature taken', pin: 'PIN confirmed' } as const;

function proofNote({ proof }: Journey, moments: Moments): Markup | null {
  const notes = proof.map(({ type, at }) => html`<p>${proofWords[type]} at ${moments.time(at)}</p>`);
  return notes.length === 0 ? null : html`${notes}`;
}
