import { setTimeout as pause } from 'node:timers/promises';
import type { Tap } from '../../src/contract/pages.ts';

/** The buttons of a stop, in order. */
const steps: Readonly<Record<string, readonly Tap['kind'][]>> = {
  pickup: ['start_pickup', 'arrive_pickup', 'pick_up'],
  dropoff: ['start_dropoff', 'arrive_dropoff', 'deliver'],
  return: ['return'],
};

const idle_ms = 60;

/**
 * A driver with a phone, by the interface of the driver's page: goes on duty, answers offers and makes the stops.
 * Each tap is sent until there is an answer, with the same id.
 */
export async function drive(
  path: string,
  { name, url, isOver }: { name: string; url: () => string | null; isOver: () => boolean },
): Promise<void> {
  let taps = 0;
  let offers = 0;
  let tap: Partial<Tap> | null = { kind: 'duty', on: true };
  while (!isOver()) {
    const base = url();
    const page: string | null = base === null || tap !== null ? null : await read(`${base}${path}`);
    if (page !== null) {
      const offer_id: string | undefined = /data-offers="(dsp_\w+\.\d+)/.exec(page)?.[1];
      if (offer_id !== undefined) offers++;
      tap =
        offer_id === undefined
          ? nextStep(page, taps)
          : { kind: offers % 4 === 0 ? 'decline' : 'accept', offer_id };
    }
    if (base === null || tap === null) {
      await pause(idle_ms);
      continue;
    }
    const at = new Date().toISOString();
    const sent = { sent_at: at, taps: [{ ...tap, id: `${name}-${taps}`, at }] };
    if (await isAnswered(`${base}${path}/taps`, sent)) {
      taps++;
      tap = null;
    } else await pause(idle_ms);
  }
}

/** The button of the first stop that can be made; some parcels cannot be handed over. */
function nextStep(page: string, number: number): Partial<Tap> | null {
  const card = page.split('<li class="card stop').find((each) => each.startsWith('"')) ?? '';
  const [, kind = '', step = ''] = /data-kind="(\w+)".* data-step="(\d)"/.exec(card) ?? [];
  const button = steps[kind]?.[kind === 'return' ? 0 : Number(step)];
  if (button === undefined) return null;
  const ids = [...card.matchAll(/data-id="([^"]+)"/g)].map(([, id = '']) => id);
  const delivery_ids = button === 'deliver' ? ids.slice(0, 1) : ids;
  return button === 'deliver' && number % 11 === 0
    ? { kind: 'fail', delivery_ids, failure_reason: 'recipient_unreachable' }
    : { kind: button, delivery_ids };
}

const timeout_ms = 10_000;

async function read(url: string): Promise<string | null> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeout_ms) }).catch(() => null);
  return response?.ok === true ? response.text().catch(() => null) : null;
}

/** Whether the service has said what became of the tap. */
async function isAnswered(url: string, body: object): Promise<boolean> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeout_ms),
  }).catch(() => null);
  const text = (await response?.text().catch(() => null)) ?? null;
  if (response === null || text === null || response.status >= 500 || response.status === 429) return false;
  if (!text.includes('"outcome":')) throw new Error(`a tap was answered ${response.status}: ${text}`);
  return true;
}
