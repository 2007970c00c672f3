import type { DeliveryStatus } from '../../src/contract/vocabulary.ts';

/** A delivery by its times in minutes from now; null for an unknown one. */
export interface OverdueCase {
  status: DeliveryStatus;
  updated_at: number;
  pickup_eta: number | null;
  dropoff_eta: number | null;
  /** By how many minutes its next report is overdue; null if it is not. */
  overdue: number | null;
}

/** When the next report is due. Every implementation of the rule is compared with these. */
export const overdueCases: readonly OverdueCase[] = [
  { status: 'delivery_created', updated_at: -50, pickup_eta: 10, dropoff_eta: 30, overdue: null },
  { status: 'delivery_created', updated_at: -50, pickup_eta: -12, dropoff_eta: 30, overdue: 12 },
  { status: 'delivery_created', updated_at: -50, pickup_eta: null, dropoff_eta: -20, overdue: null },
  { status: 'delivery_created', updated_at: -75, pickup_eta: null, dropoff_eta: -20, overdue: 15 },
  // It came after the estimate, and waits for the parcel since.
  { status: 'arrived_at_pickup', updated_at: -50, pickup_eta: -55, dropoff_eta: -5, overdue: null },
  { status: 'arrived_at_pickup', updated_at: -61, pickup_eta: -65, dropoff_eta: -5, overdue: 1 },
  { status: 'driver_not_assigned', updated_at: -20, pickup_eta: -20, dropoff_eta: 30, overdue: null },
  // A long drive is none that is stuck.
  { status: 'pickup_complete', updated_at: -300, pickup_eta: -300, dropoff_eta: 1, overdue: null },
  { status: 'enroute_dropoff', updated_at: -50, pickup_eta: -50, dropoff_eta: -11, overdue: 11 },
  { status: 'dropoff_complete', updated_at: -61, pickup_eta: -80, dropoff_eta: null, overdue: 1 },
  { status: 'driver_not_assigned', updated_at: -20, pickup_eta: -10, dropoff_eta: 30, overdue: 10 },
  { status: 'enroute_to_return', updated_at: -50, pickup_eta: -80, dropoff_eta: -20, overdue: null },
  { status: 'enroute_to_return', updated_at: -70, pickup_eta: -80, dropoff_eta: 20, overdue: 10 },
  { status: 'scheduled', updated_at: -900, pickup_eta: 1, dropoff_eta: 30, overdue: null },
  { status: 'scheduled', updated_at: -900, pickup_eta: -15, dropoff_eta: 30, overdue: 15 },
  { status: 'scheduled', updated_at: -900, pickup_eta: null, dropoff_eta: null, overdue: null },
];
