/**
 * When a driver's phone was in contact with the service. A phone says when something was tapped and whether it was offline;
 * its contacts limit what is believed: a tap counts at a time when the phone could not send it, or just before it arrived.
 */
import { minute_ms } from '../../domain/durations.ts';
import type { DriverRow } from '../../storage/database.ts';

/** The contacts of a phone, in milliseconds since the epoch. */
interface Contact {
  seen_at: number;
  /** The last silence: the contacts before and after it. */
  silent_from: number;
  silent_to: number;
}

/** Without a contact for this long a phone was silent: its page asks for news every ten seconds. */
const silence_ms = 30_000;
/** A contact is written at most once in this time. */
const step_ms = 10_000;
/** How long sending a tap may take. */
const sending_ms = minute_ms;

function contactOf({ contact }: Pick<DriverRow, 'contact'>): Contact | null {
  return contact === null ? null : JSON.parse(contact);
}

/** The contacts of a driver with one now, as JSON; null if the last one was written just before. */
export function contactAt(driver: Pick<DriverRow, 'contact'>, now: number): string | null {
  const before = contactOf(driver);
  if (before !== null && now >= before.seen_at && now - before.seen_at < step_ms) return null;
  return JSON.stringify(nextContact(before, now));
}

function nextContact(before: Contact | null, now: number): Contact {
  // Nothing is known of the time before the first contact.
  if (before === null || now < before.seen_at) return { seen_at: now, silent_from: 0, silent_to: now };
  if (now - before.seen_at <= silence_ms) return { ...before, seen_at: now };
  return { seen_at: now, silent_from: before.seen_at, silent_to: now };
}

/** The believed time of a tap. */
export interface TappedAt {
  occurred_at: number;
  /** Whether the phone was silent then, so that it may have had no connection. */
  was_silent: boolean;
}

/**
 * The time of a tap that arrives now. A phone in contact sends what is tapped at once: a tap from before its last silence
 * counts from the beginning of that, one from after it as if it was sent within a minute.
 */
export function tappedAt(driver: Pick<DriverRow, 'contact'>, said_at: number, now: number): TappedAt {
  const before = contactOf(driver);
  const { silent_from, silent_to } = nextContact(before, now);
  if (said_at <= silent_to)
    return { occurred_at: Math.max(said_at, silent_from), was_silent: said_at < silent_to - step_ms };
  const seen_at = before?.seen_at ?? silent_to;
  return { occurred_at: Math.min(now, Math.max(said_at, seen_at - sending_ms)), was_silent: false };
}
