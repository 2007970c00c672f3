import type { Column } from '../../kit/result/result.ts';

/** What a check of a received webhook answers. */
export interface CheckedWebhook {
  valid: boolean;
  id: string;
  /** That of the event; empty where the body names none. */
  type: string;
  /** When it was sent; null where its header is no time. */
  timestamp: string | null;
  age_seconds: number | null;
  /** Empty where it is valid. */
  reason: string;
}

export const verdictColumns: readonly Column<CheckedWebhook>[] = [
  { field: 'valid', header: 'Valid', kind: 'text', value: ({ valid }) => valid },
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
  { field: 'type', header: 'Type', kind: 'text', value: ({ type }) => type },
  { field: 'timestamp', header: 'Sent', kind: 'time', value: ({ timestamp }) => timestamp },
  {
    field: 'age_seconds',
    header: 'Age (s)',
    kind: 'count',
    only: 'programs',
    value: (each) => each.age_seconds,
  },
  { field: 'reason', header: 'Reason', kind: 'text', value: ({ reason }) => reason },
];
