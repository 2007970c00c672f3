import type { DeliveryStatus } from '../../contract/vocabulary.ts';

/** A column of the board. */
export interface BoardGroup {
  title: string;
  statuses: readonly DeliveryStatus[];
}

/** The deliveries under way. Those that are only stored (`request`) are not on the board. */
export const openGroups: readonly BoardGroup[] = [
  { title: 'Without a driver', statuses: ['delivery_created', 'scheduled', 'driver_not_assigned'] },
  { title: 'To the pickup', statuses: ['driver_assigned', 'enroute_pickup', 'arrived_at_pickup'] },
  {
    title: 'To the recipient',
    statuses: ['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff', 'dropoff_complete'],
  },
  { title: 'Coming back', statuses: ['enroute_to_return'] },
];

/** The last column: the newest deliveries that have ended. */
export const endedGroup: BoardGroup = {
  title: 'Ended',
  statuses: [
    ...(['delivered', 'disputed', 'failed', 'returned'] as const),
    ...(['provider_canceled', 'customer_canceled', 'burq_canceled'] as const),
  ],
};
