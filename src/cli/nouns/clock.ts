import type { ClockEvent, ClockRecord } from '../../contract/sandbox.ts';
import {
  lengthText,
  otherDay,
  styledTime,
  type TimeStyle,
  timeOfDay,
  timesInNotes,
} from '../kit/output/times.ts';
import { phrase, type Text, timePart } from '../kit/result/message.ts';
import type { Column } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';

/** Fields of a sandbox clock. */
export const clockFields: Column<ClockRecord>[] = [
  { field: 'mode', header: 'Mode', kind: 'text' },
  { field: 'rate', header: 'Rate', kind: 'count' },
  { field: 'now', header: 'Now', kind: 'instant' },
  { field: 'next_due_at', header: 'Next due', kind: 'time' },
];

/** Columns of the events of an advance: people see the time of day, on a line that fits a narrow terminal. */
export function clockEventColumns(serviceNow: () => number, style: TimeStyle): Column<ClockEvent>[] {
  const isLocal = style === null || style === 'local';
  return [
    { field: 'id', header: 'ID', kind: 'id', only: 'programs' },
    { field: 'created_at', header: 'At', kind: 'time', only: 'programs' },
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
    { field: 'delivery_id', header: 'Delivery', kind: 'text' },
    { field: 'status', header: 'Status', kind: 'status' },
    { field: 'type', header: 'Event', kind: 'text', spare: 1 },
    { field: 'sequence', header: 'Number', kind: 'count', wide: true },
  ];
}

/**
 * Formats the time of a sandbox clock, with its distance from this machine's clock, as an age by its own time would
 * always be zero.
 */
export function clockText(now: string, context: Pick<Context, 'now' | 'output'>): Text {
  if (timesInNotes(context.output) === 'relative')
    return `The clock is ${apartText(Date.parse(now) - context.now())}`;
  return phrase`The clock is at ${timePart(now, 'none')}`;
}

/** `2 h ahead of this machine` */
export function apartText(ahead_ms: number): string {
  return `${lengthText(Math.abs(ahead_ms))} ${ahead_ms > 0 ? 'ahead of' : 'behind'} this machine`;
}
