/**
 * The kinds of background tasks: what a task of each kind is told (`TaskPayloads`), and how the runner treats it
 * (`taskTraits`). `newTask` makes one; the handler that executes it (`service/handlers.ts`) gets the same payload, typed.
 */
import type { NoticeKind } from '../../contract/accounts.ts';
import type { ProofType, StopKind, VehicleType } from '../../contract/vocabulary.ts';
import type { OfferTerms } from '../../domain/driver-plans.ts';
import type { Report } from '../../providers/port.ts';
import type { Scope } from '../../storage/database.ts';
import type { NewTask } from '../../storage/tasks.ts';

/** For a task that needs no more than the id of its record, which is its `subject`. */
type Nothing = Record<string, never>;

/** The payload of each kind, stored as JSON. A task may have been stored by the version before. */
export interface TaskPayloads {
  /** Requests one provider's quote for a route. */
  'quote.ask': {
    job_id: string;
    provider: string;
    asked_by_name: boolean;
    /** Whether the response takes longer than a round. */
    silent: boolean;
    /** The driver of the own fleet who is to take the route. */
    driver_id?: string | undefined;
    vehicle_type?: VehicleType | undefined;
  };
  /** Hands a route to the provider of its quote. */
  'dispatch.ask': {
    dispatch_id: string;
    provider: string;
    /** The driver that the dispatch names. */
    driver_id?: string | null | undefined;
  };
  /** Cancels what the provider of a route may have accepted too late. */
  'dispatch.recall': Nothing;
  /** Asks a courier for the state of a delivery. */
  'courier.poll': {
    provider: string;
    dispatch_id: string;
    /** From 1. */
    number: number;
  };
  /** Copies a picture of a courier's proof: from the courier's link, or from its bytes in base64. */
  'proof.copy': {
    type: ProofType;
    /** Empty if the courier sent the picture itself. */
    url: string;
    data?: string | undefined;
  };
  /** Ends an offer to a driver that was not answered, or makes the first offer of a scheduled route. */
  'fleet.offer': {
    dispatch_id: string;
    /** An answer to an earlier offer has no effect on a later one. */
    offer: number;
  };
  /** Estimates the plan of a driver again whose next stop is late. */
  'fleet.check': {
    /** How often the plan was estimated since the last news of the driver. */
    checks: number;
  };
  /** Sends a message to a phone of a driver. */
  'driver.push': Scope & {
    phone_id: string;
    /** Absent in tasks of the version before, which has only the text in English. */
    news?: DriverNews;
    title: string;
    text: string;
  };
  /** Takes the report of a simulated courier. */
  'report.take': Report;
  /** Sends a mail to the recipient of a delivery. */
  'notice.send': { kind: NoticeKind };
  /**
   * Publishes where the courier of a delivery is. Each report that starts a series of positions publishes an event, whose
   * count identifies the series; the number is that of the position within the series.
   */
  'location.tell': { series: number; number: number };
  /** Asks the geocoder for the places of an order. */
  'place.find': {
    /** The first attempt of auto dispatch, which begins once the places are known. */
    attempt: NewTask | null;
  };
  /** Starts an attempt of auto dispatch. */
  'order.try': Nothing;
  /** Selects a quote of a complete round, in auto dispatch. */
  'order.choose': {
    job_id: string;
    /** Whether the selection publishes the round; until schema version 4 it was published before. */
    publishes_round?: boolean;
  };
  /** Completes a batch of which no order is pending. */
  'batch.close': Nothing;
}

export type TaskKindName = keyof TaskPayloads;

/** What is new for a driver. */
export interface DriverNews {
  kind: 'offer' | 'stop' | 'gone';
  stops: { kind: StopKind; address: string }[];
  /** Of an offer. */
  terms: OfferTerms | null;
}

/** How the runner treats the tasks of a kind. */
interface TaskTraits {
  /** Has effects outside of the database: a worker that takes the task over must see that it was started. */
  acts_outside?: true;
  /** Calls the provider in its payload, and may wait long for a remote one. */
  calls_provider?: true;
  /** Runs concurrently with other tasks, in a lane of this name: what it waits for may be slow. */
  lane?: string;
  /** Several tasks of one record may run in one transaction: none of them removes another. */
  shares_subject?: true;
  /** Decides by records that it does not lock, in a serializable transaction of its own: groups are read committed. */
  is_serializable?: true;
}

const taskTraits: Readonly<Record<TaskKindName, TaskTraits>> = {
  'quote.ask': { calls_provider: true, shares_subject: true },
  'dispatch.ask': { acts_outside: true, calls_provider: true },
  'dispatch.recall': { acts_outside: true, lane: 'recalls' },
  'courier.poll': { calls_provider: true },
  'proof.copy': { lane: 'pictures', shares_subject: true },
  'fleet.offer': { is_serializable: true },
  'fleet.check': { is_serializable: true },
  'driver.push': { acts_outside: true, lane: 'push', shares_subject: true },
  'report.take': {},
  'notice.send': { acts_outside: true, lane: 'mail', shares_subject: true },
  'location.tell': {},
  'place.find': { lane: 'geocoder' },
  'order.try': {},
  'order.choose': {},
  'batch.close': { shares_subject: true },
};

/** The traits of a stored kind; undefined for a kind of a later version. */
export function readTaskTraits(kind: string): TaskTraits | undefined {
  const known: Readonly<Record<string, TaskTraits>> = taskTraits;
  return known[kind];
}

/** A task to insert. Without a lane of its own it has that of its kind; one that calls a provider has the provider's. */
export function newTask<Kind extends TaskKindName>(
  kind: Kind,
  { lane = taskTraits[kind].lane ?? '', ...task }: Omit<NewTask, 'kind' | 'payload'>,
  payload: TaskPayloads[Kind],
): NewTask & { lane: string } {
  return { ...task, lane, kind, payload: JSON.stringify(payload) };
}

export function readTaskPayload<Kind extends TaskKindName>(
  kind: Kind,
  row: { kind: string; payload: string },
): TaskPayloads[Kind] {
  if (row.kind !== kind) throw new Error(`a task of kind ${row.kind} has no payload of ${kind}`);
  return JSON.parse(row.payload);
}
