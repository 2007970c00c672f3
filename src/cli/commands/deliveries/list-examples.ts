/** The examples of `deliveries list`: the questions of a day, each with its line. */
import type { Example } from '../../kit/args/command-input.ts';

export const listExamples: readonly [Example, ...Example[]] = [
  { command: 'waybill deliveries list --status in_transit', summary: 'List deliveries in transit' },
  {
    command: "waybill deliveries list --store 'Ohio Street Grill' --status active",
    summary: 'What a store has under way, with its pickup times',
  },
  {
    command: 'waybill deliveries list --status not_picked_up',
    summary: 'What couriers have not picked up yet',
  },
  { command: 'waybill deliveries list --late', summary: 'List late deliveries' },
  { command: 'waybill deliveries list --late --on yesterday', summary: 'Which were late yesterday' },
  {
    command: "waybill deliveries list --late --filter 'promised_at < now'",
    summary: 'What is late now, without what will be late',
  },
  { command: 'waybill deliveries list --due tomorrow', summary: 'What is promised for tomorrow' },
  {
    command: "waybill deliveries list --active --filter 'promised_at < 6pm'",
    summary: 'What is promised before a time',
  },
  {
    command: 'waybill deliveries list --charged yesterday --all -o csv',
    summary: 'A file of what was charged yesterday, by delivery',
  },
  { command: 'waybill deliveries list --delivered yesterday', summary: 'What was delivered yesterday' },
  {
    command: 'waybill deliveries list --status returned --ended yesterday',
    summary: 'What came back yesterday, whenever it was ordered',
  },
  { command: "waybill deliveries list --driver 'Amara' --active", summary: 'What a driver carries' },
  {
    command: "waybill deliveries list --filter 'total_cost > payment_amount + tip'",
    summary: 'Which cost more than their quotes: any columns, compared',
  },
  {
    command: 'waybill deliveries list --on yesterday --sort total_cost --limit 5',
    summary: 'The five dearest of yesterday',
  },
  { command: 'waybill deliveries list --stuck', summary: 'List deliveries whose next report is overdue' },
  { command: 'waybill deliveries list --phone +13125550142', summary: 'Find deliveries by phone number' },
  {
    command: "waybill deliveries list --search 'muller 0142'",
    summary: 'Search names, addresses, phone numbers and more',
  },
  {
    command: 'waybill deliveries list --status failed,canceled --since 1d --json',
    summary: 'List failed and canceled deliveries since yesterday',
  },
  {
    command: 'waybill deliveries list --status in_transit --watch',
    summary: 'Follow deliveries in transit',
  },
  {
    command: "waybill deliveries list --on yesterday --filter 'minutes > 45'",
    summary: 'What took over 45 minutes from the order to the door',
  },
  {
    command: 'waybill deliveries list --status arrived_at_pickup --sort status_since:asc',
    summary: 'Which drivers wait at a store, the longest first?',
  },
  {
    command: "waybill deliveries list --store 'Ohio Street Grill' --status not_picked_up --sort pickup",
    summary: 'Which couriers are coming to a store to pick up, and when?',
  },
];
