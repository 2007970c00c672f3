/** The shape of a list: a page with a cursor, only its data, or an array alone. */
export const listShapes = ['page', 'data', 'array'] as const;
/** The shape of an error. */
export const errorShapes = ['flat', 'nested', 'message', 'text', 'html'] as const;
/** The fields of records: those that a caller cannot do without, or all that the interface names. */
export const fieldSets = ['minimal', 'whole'] as const;
/** The answer of an accepted write: its record, or nothing that can be read. */
export const writeShapes = ['record', 'empty', 'html'] as const;

/** How orders can be looked up: not at all, or in a list with or without their status. */
const orderLists = ['none', 'withStatus', 'withoutStatus'] as const;

/** How lists continue after their first page. */
type PageForm = 'right' | 'cursor' | 'more' | 'silent';

/** A fault of one request or several. */
export interface Fault {
  method: string;
  /** Matches the path without its query. */
  path: RegExp;
  /** `lost`: the connection is cut after the work, before the answer. `cut`: in the middle of the answer. */
  kind: 'lost' | 'cut';
  /** How many requests it affects; all by default. */
  times?: number;
}

/** How the service differs from others that implement the same interface. */
export interface Switches {
  list: (typeof listShapes)[number];
  errors: (typeof errorShapes)[number];
  fields: (typeof fieldSets)[number];
  writes: (typeof writeShapes)[number];
  /** Whether a dispatch is answered with nothing, and its delivery has a quote with another id. */
  isDispatchSilent: boolean;
  orderList: (typeof orderLists)[number];
  /** Whether version 1 lists the deliveries of routes too. */
  areRouteDeliveriesListed: boolean;
  /** Whether lists of deliveries are filtered by `status`, which is compared as it is spelled. */
  isFiltering: boolean;
  /**
   * How a list continues. `right`: it is whole. With the others a page has `page_size` records, whatever `limit` says.
   * `cursor`: it has the cursor of the next one. `more`: it says that there are more, and there is no way to them.
   * `silent`: only the first page is sent.
   */
  pages: PageForm;
  page_size: number;
  faults: Fault[];
  /** Until quotes are ready. */
  quotes_ms: number;
  /** From one status of a delivery to the next. */
  step_ms: number;
  /** The statuses of a delivery, one after the other. */
  statuses: readonly string[];
}

export const defaults: Switches = {
  list: 'page',
  errors: 'flat',
  fields: 'whole',
  writes: 'record',
  isDispatchSilent: false,
  orderList: 'none',
  areRouteDeliveriesListed: true,
  isFiltering: false,
  pages: 'right',
  page_size: 10,
  faults: [],
  quotes_ms: 60,
  step_ms: 40,
  statuses: [
    'delivery_created',
    'driver_assigned',
    'enroute_pickup',
    'pickup_complete',
    'enroute_dropoff',
    'delivered',
  ],
};
