/** The shape of a list: a page with a cursor, only its data, or an array alone. */
export const listShapes = ['page', 'data', 'array'] as const;
/** The shape of an error. */
const errorShapes = ['flat', 'nested', 'message', 'text', 'html'] as const;
/** The form of ids. */
export const idForms = ['numbers', 'uuids'] as const;
/** The fields of records: those that a caller cannot do without, or all that the interface names. */
export const fieldSets = ['minimal', 'whole'] as const;
/** The answer of a path that does not exist; the last four are those of services that answer any path. */
export const missingShapes = ['json', 'html', 'page', 'empty', 'forbidden', 'invalid'] as const;
/** The answer of a dispatch. With any but `route` the delivery has a quote with another id. */
export const dispatchShapes = ['route', 'delivery', 'deliveries', 'id', 'nothing'] as const;
/** The answer of an accepted write: its record, the record within an object or a list, or nothing that can be read. */
export const writeShapes = ['record', 'wrapped', 'data', 'list', 'empty', 'html'] as const;
/** The body of a request to create an order: within a list, alone, or within an object. Others are refused. */
export const orderBodies = ['orders', 'bare', 'order'] as const;

/** How orders can be looked up: not at all, or in a list with or without their status. */
const orderLists = ['none', 'withStatus', 'withoutStatus'] as const;

/** The spelling of statuses: that of the interface, `DELIVERED`, `Enroute-Pickup`, or `PICKUP COMPLETE`. */
export const spellings = ['interface', 'upper', 'dashes', 'words'] as const;

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
  ids: (typeof idForms)[number];
  fields: (typeof fieldSets)[number];
  missing: (typeof missingShapes)[number];
  writes: (typeof writeShapes)[number];
  orderBody: (typeof orderBodies)[number];
  /** The path at which orders are created. */
  ordersPath: string;
  dispatch: (typeof dispatchShapes)[number];
  orderList: (typeof orderLists)[number];
  /** Whether version 1 lists the deliveries of routes too. */
  areRouteDeliveriesListed: boolean;
  /** Whether a request for quotes is answered with the quotes instead of a job. */
  isQuotingAtOnce: boolean;
  spelling: (typeof spellings)[number];
  /** Whether lists of deliveries are filtered by `status`, which is compared as it is spelled. */
  isFiltering: boolean;
  /** Whether queries, unknown fields, and texts in place of ids that are numbers are refused. */
  isStrict: boolean;
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
  ids: 'uuids',
  fields: 'whole',
  missing: 'json',
  writes: 'record',
  orderBody: 'orders',
  ordersPath: '/orders/create',
  dispatch: 'route',
  orderList: 'none',
  areRouteDeliveriesListed: true,
  isQuotingAtOnce: false,
  spelling: 'interface',
  isFiltering: false,
  isStrict: false,
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
