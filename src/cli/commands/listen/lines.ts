import type { Event } from '../../../contract/events.ts';
import type { TargetRule } from './destinations.ts';

/** Events are being listened for. */
export interface Ready {
  type: 'ready';
  profile: string;
  mode: 'test' | 'live';
  /** Where events go that no route takes; null: they are only shown. */
  forward_to: string | null;
  routes: readonly TargetRule[];
  /** Null: all but those told by name only. */
  events: readonly string[] | null;
  /** The local receiver, where there is one. */
  sink: string | null;
  /** Only where it was asked for. */
  secret?: string;
}

/** What came of an attempt to forward an event. */
export interface Outcome {
  event: Event;
  url: string;
  /** Null where no answer came. */
  status_code: number | null;
  /** Wall time. */
  duration_ms: number;
  /** From 1. */
  attempt: number;
  /** Where somebody asked for it once more. */
  resent?: true;
}

export interface Forwarded extends Outcome {
  type: 'forwarded';
}

export interface Failed extends Outcome {
  type: 'failed';
  reason: string;
  /** The beginning of what the server answered; empty where it said nothing. */
  response: string;
  /** When it is tried again; null where it is given up. */
  retry_in_ms: number | null;
}

/** An event that goes nowhere. */
export interface Shown {
  type: 'event';
  event: Event;
}

/** A server that events go to answers no more, or does again. */
export interface Down {
  type: 'down';
  url: string;
  reason: string;
}

export interface Up {
  type: 'up';
  url: string;
}

/** An attempt that arrived at the local receiver, and what it did with it. */
export interface Arrived {
  type: 'arrived';
  number: number;
  /** Null where it is no webhook. */
  event_id: string | null;
  event_type: string | null;
  /** As it stands in the script. */
  answer: string;
}

/** What `listen` tells, each with a type. */
export type Line = Ready | Forwarded | Failed | Shown | Down | Up | Arrived;
