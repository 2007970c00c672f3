/** The interfaces of what the runtime uses and other folders implement: see `SharedContext` and `ServiceContext`. */
import type { DrivingTimes, Point } from '../../domain/geography.ts';
import type { GeocoderName } from '../../domain/operator-settings.ts';
import type { AddressParts, Candidate } from '../../providers/place-services.ts';
import type { TaskRow } from '../../storage/database.ts';

/** Another way to write what enters and leaves a sandbox; what is stored does not differ. */
export interface Dialect {
  /** The own name of a courier. */
  readName: (text: string) => string;
  readBody: (body: unknown) => unknown;
  /** A body in JSON, as it is sent. */
  writeBody: (text: string) => string;
  statusOf: (operation_id: string, status: number) => number;
  /** Headers of a webhook beside the usual ones. */
  signatureHeaders: (
    message: { body: string; now: number },
    secrets: readonly string[],
  ) => Record<string, string>;
}

/** Room for calls at the same time, which is divided among accounts and what they call. */
export interface CallShares {
  /** Takes room for the call of a task; false if there is none. */
  take: (row: TaskRow) => boolean;
  release: (row: TaskRow) => void;
}

/** The position up to which the event log can be read in order: no event is written at or before it anymore. */
export interface EventWatermark {
  /** Null before the first poll. */
  position: () => number | null;
  /**
   * Calls `onMove` when the position has changed, until the returned function is called; polls while there are
   * listeners.
   */
  listen: (onMove: () => void) => () => void;
  /** Resolves once the events that are being written now can be read, after a second at the latest. */
  settled: () => Promise<void>;
  /** Reads a page for all streams that ask for the same one, with the same key, at about the same time. */
  page: (key: string, read: () => Promise<EventPage>) => Promise<EventPage>;
}

/** Events as text, and the position in the log at which the next page begins. */
export interface EventPage {
  text: string;
  position: number;
}

/** Knows how long it takes to drive from one place to another. */
export interface Router {
  /** The times that it has answered. */
  known: DrivingTimes;
  /** Asks for the times between points that are not known, for a second at most. Never rejects. */
  learn: (points: readonly Point[]) => Promise<void>;
  /** Whether the latest request had no answer. */
  isFailing: () => boolean;
}

/** Finds the coordinates of addresses. */
export interface Geocoder {
  name: GeocoderName;
  /** The time between two requests. */
  interval_ms: number;
  /** The places of an address; null if the server does not answer, `busy` if it may not be asked within `max_wait_ms`. */
  find: (address: AddressParts, max_wait_ms: number) => Promise<readonly Candidate[] | null | 'busy'>;
}

export interface WebhookRequest {
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string | Uint8Array;
}

export interface WebhookResult {
  /** Null if there was no response. */
  status_code: number | null;
  /** Empty if it succeeded. */
  reason: string;
  /** The start of the response body, if it failed. */
  response: string;
  /** The wait that the endpoint requested, if any. */
  retry_after_ms: number | undefined;
  /** Wall time. */
  duration_ms: number;
}

/** Sends requests to addresses that merchants name. Never rejects. */
export interface WebhookClient {
  post: (post: WebhookRequest) => Promise<WebhookResult>;
  close: () => Promise<void>;
}

/** Sends events to subscribed endpoints. */
export interface Sender {
  /** Sends everything that is due, including what becomes due meanwhile; resolves with the number of attempts. */
  sendDue: () => Promise<number>;
  /** Sends everything that is due without waiting for slow endpoints; resolves with the number of recorded attempts. */
  sendPromptly: () => Promise<number>;
  /**
   * The due time of the first message, in service time, to an enabled endpoint that is not slow; null if there is
   * none.
   */
  nextDueAt: () => Promise<number | null>;
  /** Sends messages as they become due until stopped, if this process does the background work. */
  start: () => void;
  /** Starts no further attempt; resolves once the running ones are recorded. */
  stop: () => Promise<void>;
}

/** Something that happened in the service, as it is counted. Durations are in seconds. */
type Observation =
  | { type: 'request'; operation: string; status: number; seconds: number }
  | { type: 'provider_call'; provider: string; call: string; outcome: 'answered' | 'failed'; seconds: number }
  /** The outcome is `quoted`, `no_answer` or the code of the decline. */
  | { type: 'quote'; provider: string; outcome: string }
  | { type: 'dispatch'; provider: string; outcome: 'accepted' | 'refused' | 'unknown' | 'no_answer' }
  /** The time from the creation of an order to its acceptance by a courier, in service time. */
  | { type: 'order_dispatched'; mode: 'test' | 'live'; seconds: number }
  /** The time from an event to the response of an endpoint that took it, in service time. */
  | { type: 'event_delivered'; mode: 'test' | 'live'; seconds: number }
  /** `no_answer`: the geocoder could not be asked, or did not answer. */
  | {
      type: 'geocoding';
      outcome: 'house' | 'street' | 'not_found' | 'other_state' | 'too_far' | 'no_answer';
    }
  | { type: 'webhook'; outcome: 'delivered' | 'failed'; seconds: number };

export type Observe = (observation: Observation) => void;
