import type { Event } from '../../../contract/events.ts';
import type { TargetRule } from './targets.ts';

/** The stream is open. */
export interface Ready {
  type: 'ready';
  profile: string;
  mode: 'test' | 'live';
  /** The destination of events that match no route; null: they are only shown. */
  forward_to: string | null;
  routes: readonly TargetRule[];
  /** Null: all types except those sent only by name. */
  events: readonly string[] | null;
  /** The script of the local receiver, if one runs. */
  sink: string | null;
  /** Only if it was requested. */
  secret?: string;
}

/** The outcome of an attempt to forward an event. */
interface Outcome {
  event: Event;
  url: string;
  /** Null without a response. */
  status_code: number | null;
  /** Wall time. */
  duration_ms: number;
  /** Starts at 1. */
  attempt: number;
  /** Set if the user requested another attempt. */
  resent?: true;
}

export interface Forwarded extends Outcome {
  type: 'forwarded';
}

export interface Failed extends Outcome {
  type: 'failed';
  reason: string;
  /** The start of the response; empty if it had no body. */
  response: string;
  /** The delay until the next attempt; null if the event is given up. */
  retry_in_ms: number | null;
}

/** An event without a destination. */
interface Shown {
  type: 'event';
  event: Event;
}

/** A destination that is unreachable, or reachable again. */
interface Down {
  type: 'down';
  url: string;
  reason: string;
}

interface Up {
  type: 'up';
  url: string;
}

/** An attempt that arrived at the local receiver, and its response. */
export interface Arrived {
  type: 'arrived';
  number: number;
  /** Null if the request is not a webhook. */
  event_id: string | null;
  event_type: string | null;
  /** The response, as written in the script. */
  answer: string;
}

/** The output lines of `listen`, each with a type. */
export type Line = Ready | Forwarded | Failed | Shown | Down | Up | Arrived;
