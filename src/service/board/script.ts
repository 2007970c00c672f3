import {
  closed_tag,
  type DeliveryStatus,
  fleet_provider,
  handoverFailures,
  reportableStatuses,
} from '../../contract/vocabulary.ts';
import { zoneTables } from '../../domain/addresses.ts';
import { canMove, skippedStatuses } from '../../domain/delivery-states.ts';
import { late_tolerance_ms } from '../../domain/delivery-times.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import match from '../tracking-page/browser/match.js?raw';
import tiles from '../tracking-page/browser/tiles.js?raw';
import actions from './browser/actions.js?raw';
import basics from './browser/basics.js?raw';
import controls from './browser/controls.js?raw';
import drivers from './browser/drivers.js?raw';
import lists from './browser/lists.js?raw';
import map from './browser/map.js?raw';
import panel from './browser/panel.js?raw';
import problems from './browser/problems.js?raw';
import records from './browser/records.js?raw';
import requests from './browser/requests.js?raw';
import start from './browser/start.js?raw';
import tileMap from './browser/tile-map.js?raw';

/** States of deliveries that the board tells apart. */
interface BoardGroup {
  title: string;
  statuses: readonly DeliveryStatus[];
}

/** The deliveries under way. Those that are only stored (`request`) are not on the board. */
export const openGroups: readonly BoardGroup[] = [
  { title: 'No driver', statuses: ['delivery_created', 'scheduled', 'driver_not_assigned'] },
  { title: 'To the shop', statuses: ['driver_assigned', 'enroute_pickup', 'arrived_at_pickup'] },
  {
    title: 'To the recipient',
    statuses: ['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff', 'dropoff_complete'],
  },
  { title: 'Coming back', statuses: ['enroute_to_return'] },
];

/** The deliveries that have ended. */
export const endedGroups: readonly BoardGroup[] = [
  { title: 'Failed', statuses: ['failed'] },
  { title: 'Canceled', statuses: ['provider_canceled', 'customer_canceled', 'burq_canceled'] },
  { title: 'Returned', statuses: ['returned'] },
  { title: 'Delivered', statuses: ['delivered'] },
  { title: 'Disputed', statuses: ['disputed'] },
];

/** The statuses that can be reported of a delivery in each status. */
const reportable = Object.fromEntries(
  openGroups.flatMap(({ statuses }) =>
    statuses.map((from) => [from, reportableStatuses.filter((to) => canReport(from, to))]),
  ),
);

function canReport(from: DeliveryStatus, to: DeliveryStatus): boolean {
  const steps = [from, ...skippedStatuses(from, to), to];
  return steps.slice(1).every((step, index) => canMove(steps[index] ?? from, step));
}

/** The words and limits of the service that the script uses, which it reads from the page. */
export const vocabulary = {
  open_groups: openGroups,
  ended_groups: endedGroups,
  fleet: fleet_provider,
  reportable,
  tapped_statuses: reportableStatuses,
  handover_failures: handoverFailures,
  max_wrong_pins,
  late_tolerance_ms,
  closed_tag,
  zones: zoneTables,
};

/** The script of the board: one text, whose parts see each other's functions, and whose last one starts it. */
export function boardScript({ withTiles }: { withTiles: boolean }): string {
  const data = [match, basics, requests, records];
  const shown = [problems, lists, drivers, panel, actions, map];
  return [...data, ...shown, ...(withTiles ? [tiles, tileMap] : []), controls, start].join('\n');
}
