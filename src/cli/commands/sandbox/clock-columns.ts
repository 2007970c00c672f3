import type { ClockEvent, ClockRecord } from '../../../contract/clock.ts';
import { otherDay, styledTime, type TimeStyle, timeOfDay } from '../../kit/output/times.ts';
import type { Column } from '../../kit/result/result.ts';

/** How the clock of a sandbox is shown. */
export const clockFields: Column<ClockRecord>[] = [
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ mode }) => mode },
  { field: 'rate', header: 'Rate', kind: 'count', value: ({ rate }) => rate },
  { field: 'now', header: 'Now', kind: 'instant', value: ({ now }) => now },
  { field: 'next_due_at', header: 'Next due', kind: 'time', value: ({ next_due_at }) => next_due_at },
];

/** How what happened is shown: to people the time of day, on a line that fits a narrow terminal. */
export function clockEventColumns(serviceNow: () => number, style: TimeStyle): Column<ClockEvent>[] {
  const isLocal = style === null || style === 'local';
  return [
    { field: 'id', header: 'ID', kind: 'id', only: 'programs', value: ({ id }) => id },
    { field: 'created_at', header: 'At', kind: 'time', only: 'programs', value: (event) => event.created_at },
    {
      field: 'created_at',
      header: 'Day',
      kind: 'text',
      only: 'people',
      unlessEmpty: true,
      spare: 2,
      value: ({ created_at }) => (isLocal ? otherDay(created_at, serviceNow()) : ''),
    },
    {
      field: 'created_at',
      header: 'At',
      kind: 'text',
      only: 'people',
      value: ({ created_at }) => styledTime(created_at, serviceNow(), style, timeOfDay),
    },
    { field: 'delivery_id', header: 'Delivery', kind: 'text', value: ({ delivery_id }) => delivery_id },
    { field: 'status', header: 'Status', kind: 'status', value: ({ status }) => status },
    { field: 'type', header: 'Event', kind: 'text', spare: 1, value: ({ type }) => type },
    { field: 'sequence', header: 'Number', kind: 'count', wide: true, value: ({ sequence }) => sequence },
  ];
}
