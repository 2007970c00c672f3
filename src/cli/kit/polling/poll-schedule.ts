/** What is heard of something that is followed: its stream of events opens and is lost, and events come. */
export type News =
  | 'opened'
  | 'lost'
  | 'told'
  /** Told, and at once to be looked at: there is hardly more to come. */
  | 'ended';

/** Says when to look next. Times are milliseconds; nothing here waits. */
export interface Pace {
  /** Begins the wait for the next look; false where time has run out. After a look that failed nothing is trusted. */
  pause(now: number, isMissed: boolean): boolean;
  /** How long until that look, as things stand. */
  left(now: number): number;
  hear(news: News, now: number): void;
  /** A look begins: it sees all that was told so far. */
  look(now: number): void;
}

const firstWait_ms = 2000;
const longestWait_ms = 15_000;
const mostLooks = 10;
/** About what ten looks take. */
const patience_ms = 120_000;
/** Between looks while the stream stands, as what stands between may hold events back. */
const safety_ms = 30_000;
/** What is told within this time is one look. */
const together_ms = 50;

/**
 * Looks are made where events are told, in a flood of them ever more rarely; without a stream after the waits that the
 * interface recommends: 2 s, then double, none longer than 15 s. Without a time-out these are ten looks, or two minutes.
 * An interval stands for the waits, and for how seldom it is looked while a stream stands.
 */
export function createPace(
  timeout_ms: number | undefined,
  begun: number,
  interval_ms?: number,
  looksAtOpening = true,
): Pace {
  const end = timeout_ms === undefined ? Number.POSITIVE_INFINITY : begun + timeout_ms;
  const isCounted = timeout_ms === undefined && interval_ms === undefined;
  const backoff = createBackoff(interval_ms);
  const telling = createTelling(begun);
  const stream = { isOpen: false, wasOpen: false, since: begun };
  let polls = 0;
  let due = begun;
  const last = () => (timeout_ms === undefined && (stream.isOpen || !isCounted) ? begun + patience_ms : end);
  const lose = (now: number) => {
    if (!stream.isOpen) return;
    if (now - stream.since >= longestWait_ms) backoff.reset();
    stream.isOpen = false;
    due = Math.min(due, now + backoff.next());
  };
  const open = (now: number) => {
    // One that comes back brings what was missed; it is looked at all the same, when it would have been without it.
    if (!stream.wasOpen && looksAtOpening) telling.hear(now, true);
    Object.assign(stream, { isOpen: true, wasOpen: true, since: now });
  };
  return {
    pause: (now, isMissed) => {
      if ((isCounted && polls >= mostLooks) || now >= last()) return false;
      due = now + (stream.isOpen && !isMissed ? (interval_ms ?? safety_ms) : backoff.next());
      telling.pause(now);
      return true;
    },
    left: (now) => Math.max(0, Math.min(due, telling.due(), last()) - now),
    hear: (news, now) => {
      if (news === 'opened') open(now);
      else if (news === 'lost') lose(now);
      else telling.hear(now, news === 'ended');
    },
    look: (now) => {
      if (!stream.isOpen) polls += 1;
      telling.look(now);
    },
  };
}

function createBackoff(interval_ms: number | undefined) {
  let wait = firstWait_ms;
  return {
    next: () => {
      const given = wait;
      wait = Math.min(2 * wait, longestWait_ms);
      return interval_ms ?? given;
    },
    reset: () => {
      wait = firstWait_ms;
    },
  };
}

/** When to look because of what was told: soon, but where each look is followed by the next one, after twice the time. */
function createTelling(begun: number) {
  let heard: { at: number; isUrgent: boolean } | null = null;
  let paused = begun;
  let spacing = together_ms;
  return {
    hear: (now: number, isUrgent: boolean) => {
      heard = { at: heard?.at ?? now, isUrgent: isUrgent || heard?.isUrgent === true };
    },
    due: () => {
      if (heard === null) return Number.POSITIVE_INFINITY;
      const soon = heard.at + together_ms;
      return heard.isUrgent ? soon : Math.max(soon, paused + spacing);
    },
    pause: (now: number) => {
      paused = now;
    },
    look: (now: number) => {
      const isFlood = heard !== null && now - paused < 2 * spacing;
      spacing = isFlood ? Math.min(2 * spacing, longestWait_ms) : together_ms;
      heard = null;
    },
  };
}
