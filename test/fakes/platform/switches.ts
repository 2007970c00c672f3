/** What is not known of the public platform: each switch is a way in which it may be. */
export interface PlatformSwitches {
  /** The name of the fee of a quote: as in a production response, as in the reference, or both. */
  fee: 'burq_fee' | 'service_fee' | 'both';
  /** How often quotes are pending before they are complete. */
  pending: number;
  /** Whether version 1 lists and finds the deliveries of version 2. */
  isSeenByVersion1: boolean;
  /** Whether an order needs its size and weight. */
  needsDimensions: boolean;
  /** Whether lists of orders fill in the delivery, as the look-up of one order does. */
  isExpandedInLists: boolean;
  /** Whether the look-up of one order fills in the delivery. */
  isExpandedAlone: boolean;
  /** Whether an unknown value of a query is refused. */
  isStrict: boolean;
  /** Whether lists are filtered by the reference. */
  isFiltering: boolean;
  /** The status of a new route; empty: it has none. */
  routeStatus: string;
  lists: 'data' | 'array';
  /** The most records that a list has, whatever its limit is; without a word on further ones. */
  max_listed: number;
  /** Whether orders have a status, and then always their delivery. */
  hasStatus: boolean;
  /** What a dispatch answers; `none`: it has another path. */
  dispatch: 'route' | 'delivery' | 'empty' | 'none';
  created: 200 | 201;
  /** Whether version 1 records the steps of a delivery with their times. */
  hasHistory: boolean;
  /** The name of the field with the words of an error. */
  words: 'message' | 'error' | 'detail';
  /** The statuses of a delivery, one every `step_ms`. */
  statuses: readonly string[];
  step_ms: number;
  /** How long after its dispatch a delivery is first shown. */
  hidden_ms: number;
}

export const platformDefaults: PlatformSwitches = {
  fee: 'burq_fee',
  pending: 1,
  isSeenByVersion1: false,
  needsDimensions: false,
  isExpandedInLists: true,
  isExpandedAlone: true,
  isStrict: false,
  isFiltering: true,
  routeStatus: '',
  lists: 'data',
  max_listed: 50,
  hasStatus: false,
  dispatch: 'route',
  created: 200,
  hasHistory: false,
  words: 'message',
  statuses: ['delivery_created', 'driver_assigned', 'enroute_pickup', 'enroute_dropoff', 'delivered'],
  step_ms: 40,
  hidden_ms: 0,
};
