import type { Event } from '../../../contract/events.ts';
import type { Column } from '../../kit/result/result.ts';

/** Columns of events: the record and its status at that time. */
export const eventColumns: readonly Column<Event>[] = [
  { field: 'created_at', header: 'When', kind: 'time', spare: 4, value: ({ created_at }) => created_at },
  { field: 'type', header: 'Type', kind: 'text', value: ({ type }) => type },
  { field: 'data.id', header: 'Of', kind: 'text', spare: 3, value: (event) => subjectOf(event) },
  { field: 'data.status', header: 'Status', kind: 'status', spare: 2, value: (event) => statusOf(event) },
  { field: 'sequence', header: 'Sequence', kind: 'text', spare: 1, value: ({ sequence }) => sequence },
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
];

/** The ID of the event's record; for quotes, of their route. */
export function subjectOf({ data }: Event): string {
  const [quote] = 'data' in data && Array.isArray(data.data) ? data.data : [];
  const own = ['id', 'batch_id', 'delivery_id', 'route_id'].map((field) => textIn(data, field));
  return own.find((id) => id !== '') ?? textIn(quote, 'route_id');
}

/** The status of the record at that time; empty if it has none. */
export function statusOf({ data }: Event): string {
  return textIn(data, 'status');
}

function textIn(record: unknown, field: string): string {
  if (typeof record !== 'object' || record === null) return '';
  const value = Object.entries(record).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value : '';
}
