import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { hasReached } from '../../domain/delivery-states.ts';
import { html, type Markup } from './markup.ts';
import type { Moments } from './moments.ts';
import { isOver, type TrackedDelivery } from './tracked-delivery.ts';

/** The past and expected steps. */
export function timelineSection(tracked: TrackedDelivery, moments: Moments): Markup {
  const { texts } = tracked;
  const past = pastOf(tracked);
  const steps = past.map(({ status, at }, index) => {
    const isLast = index === past.length - 1;
    return html`<li class="${isLast ? 'now' : 'past'}"${isLast ? current : null}>
<span>${texts.statuses[status].step}</span>${moments.time(at)}</li>`;
  });
  const coming = comingOf(tracked).map(({ status, at }) => {
    const expected = at === null ? null : html`<small>${texts.about} ${moments.time(at)}</small>`;
    return html`<li class="coming"><span>${texts.statuses[status].step}<i class="unseen">, ${texts.still_to_come}</i></span>${expected}</li>`;
  });
  return html`<section class="card timeline${isOver(tracked.status) ? ' over' : ''}" aria-labelledby="steps">
<h2 id="steps">${texts.timeline}</h2>
<ol>${steps}${coming}</ol>
</section>`;
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
  if (is_ended || isOver(status)) return [];
  const expected = (eta: number | null) => (eta !== null && eta > now && status !== 'request' ? eta : null);
  const steps: Coming[] = [
    { status: 'driver_assigned', at: null },
    { status: 'pickup_complete', at: expected(pickup_eta) },
    { status: 'enroute_dropoff', at: null },
    { status: 'delivered', at: expected(dropoff_eta) },
  ];
  return steps.filter((step) => !hasReached(status, step.status));
}
