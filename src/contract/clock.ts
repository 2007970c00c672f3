import { Status } from './deliveries.ts';
import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Instant, Nullable, Reference, Type } from './schema.ts';
import { clockModes } from './vocabulary.ts';

/** The clock of test mode on a sandbox service; live mode runs on real time. */
export const ClockRecord = Type.Object(
  {
    object: Type.Literal('clock'),
    mode: Type.Enum(clockModes),
    rate: Type.Number({
      description: 'Seconds of service time per second: 1 in real mode, 0 in manual mode',
    }),
    now: Instant(),
    next_due_at: Nullable(Instant('When the next scheduled work is due; null without scheduled work')),
  },
  { title: 'Clock' },
);
export type ClockRecord = Static<typeof ClockRecord>;

export const getClock = operation({
  id: 'GetClock',
  method: 'GET',
  path: '/v2/sandbox/clock',
  summary: 'Get the clock of test mode',
  tag: 'Sandbox',
  permission: 'read',
  answer: ClockRecord,
  errors: ['simulation_not_allowed', 'clock_unreadable'],
});

export const setClock = operation({
  id: 'SetClock',
  method: 'POST',
  path: '/v2/sandbox/clock',
  summary: 'Set how time passes in test mode, from the current service time on',
  tag: 'Sandbox',
  permission: 'admin',
  body: Exact({
    mode: Type.Enum(clockModes),
    rate: Type.Optional(
      Type.Number({ minimum: 0.001, maximum: 86_400, description: 'Only in scaled mode; default 60' }),
    ),
  }),
  answer: ClockRecord,
  errors: ['simulation_not_allowed', 'forbidden', 'clock_unreadable'],
});

/** A short form of an event that occurred while the clock was advanced. */
export const ClockEvent = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    created_at: Instant(),
    delivery_id: Nullable(Type.String()),
    sequence: Nullable(Type.Integer()),
    status: Nullable(Type.String({ description: 'Status of the record that the event is about' })),
  },
  { title: 'ClockEvent' },
);
export type ClockEvent = Static<typeof ClockEvent>;

export const ClockAdvance = Type.Object(
  {
    object: Type.Literal('clock_advance'),
    now: Instant(),
    steps: Count({ description: 'Number of due tasks that ran' }),
    events: Type.Array(ClockEvent),
    more: Type.Boolean({
      description: 'True if the advance stopped early, at the maximum number of steps per call',
    }),
  },
  { title: 'ClockAdvance' },
);
export type ClockAdvance = Static<typeof ClockAdvance>;

const ClockMove = Exact(
  {
    by: Type.Optional(Count({ minimum: 1, maximum: 31_536_000, description: 'Seconds' })),
    to: Type.Optional(Instant('At most 10 years ahead')),
    until: Type.Optional(Exact({ delivery_id: Reference(), status: Status })),
    next: Type.Optional(Type.Boolean({ description: 'Advance to the next due work' })),
    drain: Type.Optional(Type.Boolean({ description: 'Advance until nothing is due' })),
  },
  { minProperties: 1, title: 'ClockMove', description: 'Exactly one field is required' },
);
export type ClockMove = Static<typeof ClockMove>;

export const advanceClock = operation({
  id: 'AdvanceClock',
  method: 'POST',
  path: '/v2/sandbox/clock/advance',
  summary: 'Advance the clock of test mode and run what becomes due, each task at its time',
  tag: 'Sandbox',
  permission: 'admin',
  body: ClockMove,
  answer: ClockAdvance,
  errors: ['simulation_not_allowed', 'forbidden', 'record_not_found', 'clock_unreadable'],
});
