/** Something that happened in the service, as it is counted. Durations are in seconds. */
export type Observation =
  | { type: 'request'; operation: string; status: number; seconds: number }
  | { type: 'provider_call'; provider: string; call: string; outcome: 'answered' | 'failed'; seconds: number }
  /** The outcome is `quoted`, `no_answer` or the code of the decline. */
  | { type: 'quote'; provider: string; outcome: string }
  | { type: 'dispatch'; provider: string; outcome: 'accepted' | 'refused' | 'unknown' | 'no_answer' }
  /** The time from the creation of an order to its acceptance by a courier, in service time. */
  | { type: 'order_dispatched'; mode: 'test' | 'live'; seconds: number }
  /** The time from an event to the response of an endpoint that took it, in service time. */
  | { type: 'event_delivered'; mode: 'test' | 'live'; seconds: number }
  | { type: 'webhook'; outcome: 'delivered' | 'failed'; seconds: number };

export type Observe = (observation: Observation) => void;
