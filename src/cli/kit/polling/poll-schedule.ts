/** When to poll next: after pauses that grow, and sooner after events. Times are milliseconds; nothing here waits. */

/** How long and how often to poll. */
export interface PollOptions {
  /** The total time; by default as many polls as the API recommends. */
  timeout_ms?: number | undefined;
  /** The pause between two polls; by default as the API recommends. */
  interval_ms?: number | undefined;
  /** Whether opening the stream triggers a poll, for earlier changes; yes by default. */
  pollsAtOpening?: boolean | undefined;
}

/** A notification of a subscription: its stream was opened or lost, or an event arrived. */
export type Notification =
  | 'opened'
  | 'lost'
  | 'event'
  /** Probably the last event: it is worth an immediate poll. */
  | 'final-event';

/** Decides when to poll next. */
interface PollSchedule {
  /** Starts the pause before the next poll; false after the timeout. `hasFailed` is true if the last poll failed. */
  startPause(now: number, hasFailed: boolean): boolean;
  /** The remaining pause as of `now`. */
  remaining(now: number): number;
  notify(notification: Notification, now: number): void;
  /** Starts a poll, which covers every notification so far. */
  startPoll(now: number): void;
}

const min_backoff_ms = 2000;
const max_backoff_ms = 15_000;
const max_polls = 10;
/** About the duration of ten polls. */
const default_timeout_ms = 120_000;
/** The pause while a stream is open, as a proxy may delay its events. */
const max_pause_with_stream_ms = 30_000;
/** Events within this time share a poll. */
const debounce_ms = 50;

/**
 * Schedules polls after events, less often while events keep arriving. Without a stream it uses the pauses that the API
 * recommends: 2 s, doubled up to 15 s; without a timeout it ends after ten polls or two minutes. An interval replaces
 * those pauses, and the longest pause with a stream.
 */
export function createPollSchedule(
  started_at: number,
  { timeout_ms, interval_ms, pollsAtOpening = true }: PollOptions,
): PollSchedule {
  const deadline = timeout_ms === undefined ? Number.POSITIVE_INFINITY : started_at + timeout_ms;
  const isCounted = timeout_ms === undefined && interval_ms === undefined;
  const backoff = createBackoff(interval_ms);
  const events = createDebounce(started_at);
  const stream = { isOpen: false, wasOpen: false, since: started_at };
  let polls = 0;
  let due = started_at;
  const end = () =>
    timeout_ms === undefined && (stream.isOpen || !isCounted) ? started_at + default_timeout_ms : deadline;
  const lose = (now: number) => {
    if (!stream.isOpen) return;
    if (now - stream.since >= max_backoff_ms) backoff.reset();
    stream.isOpen = false;
    due = Math.min(due, now + backoff.next());
  };
  const open = (now: number) => {
    // A reopened stream delivers missed events, so the poll keeps its time.
    if (!stream.wasOpen && pollsAtOpening) events.add(now, true);
    Object.assign(stream, { isOpen: true, wasOpen: true, since: now });
  };
  return {
    startPause: (now, hasFailed) => {
      if ((isCounted && polls >= max_polls) || now >= end()) return false;
      const isStreaming = stream.isOpen && !hasFailed;
      due = now + (isStreaming ? (interval_ms ?? max_pause_with_stream_ms) : backoff.next());
      events.startPause(now);
      return true;
    },
    remaining: (now) => Math.max(0, Math.min(due, events.due(), end()) - now),
    notify: (notification, now) => {
      if (notification === 'opened') open(now);
      else if (notification === 'lost') lose(now);
      else events.add(now, notification === 'final-event');
    },
    startPoll: (now) => {
      if (!stream.isOpen) polls += 1;
      events.startPoll(now);
    },
  };
}

function createBackoff(interval_ms: number | undefined) {
  let pause_ms = min_backoff_ms;
  return {
    next: () => {
      const current_ms = pause_ms;
      pause_ms = Math.min(2 * pause_ms, max_backoff_ms);
      return interval_ms ?? current_ms;
    },
    reset: () => {
      pause_ms = min_backoff_ms;
    },
  };
}

/** Debounces events: polls soon after one, but with pauses that double while each poll is followed by more events. */
function createDebounce(started_at: number) {
  let pending: { since: number; isUrgent: boolean } | null = null;
  let paused_at = started_at;
  let spacing_ms = debounce_ms;
  return {
    add: (now: number, isUrgent: boolean) => {
      pending = { since: pending?.since ?? now, isUrgent: isUrgent || pending?.isUrgent === true };
    },
    due: () => {
      if (pending === null) return Number.POSITIVE_INFINITY;
      const soon = pending.since + debounce_ms;
      return pending.isUrgent ? soon : Math.max(soon, paused_at + spacing_ms);
    },
    startPause: (now: number) => {
      paused_at = now;
    },
    startPoll: (now: number) => {
      const isFlood = pending !== null && now - paused_at < 2 * spacing_ms;
      spacing_ms = isFlood ? Math.min(2 * spacing_ms, max_backoff_ms) : debounce_ms;
      pending = null;
    },
  };
}
