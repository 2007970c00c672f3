import { Status } from './deliveries.ts';
import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Instant, Nullable, Reference, Type } from './schema.ts';
import { clockModes } from './vocabulary.ts';

/** The clock of test mode on a sandbox service; live mode goes by real time. */
export const ClockRecord = Type.Object(
  {
    object: Type.Literal('clock'),
    mode: Type.Enum(clockModes),
    rate: Type.Number({ description: 'Seconds of service time in a second: 1 when real, 0 when manual' }),
    now: Instant(),
    next_due_at: Nullable(Instant('When the next thing happens; null when nothing is due')),
  },
  { title: 'Clock' },
);
export type ClockRecord = Static<typeof ClockRecord>;

export const getClock = operation({
  id: 'GetClock',
  method: 'GET',
  path: '/v2/sandbox/clock',
  summary: 'What time it is in test mode, and how it passes',
  tag: 'Sandbox',
  permission: 'read',
  answer: ClockRecord,
  errors: ['simulation_not_allowed', 'clock_unreadable'],
});

export const setClock = operation({
  id: 'SetClock',
  method: 'POST',
  path: '/v2/sandbox/clock',
  summary: 'Choose how time passes in test mode: it goes on from where it is',
  tag: 'Sandbox',
  permission: 'admin',
  body: Exact({
    mode: Type.Enum(clockModes),
    rate: Type.Optional(
      Type.Number({ minimum: 0.001, maximum: 86_400, description: 'With scaled only; 60 when not given' }),
    ),
  }),
  answer: ClockRecord,
  errors: ['simulation_not_allowed', 'clock_unreadable'],
});

/** What happened while the clock was moved, told briefly. */
export const ClockEvent = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    created_at: Instant(),
    delivery_id: Nullable(Type.String()),
    sequence: Nullable(Type.Integer()),
    status: Nullable(Type.String({ description: 'Of the record that the event is about' })),
  },
  { title: 'ClockEvent' },
);
export type ClockEvent = Static<typeof ClockEvent>;

export const ClockAdvance = Type.Object(
  {
    object: Type.Literal('clock_advance'),
    now: Instant(),
    steps: Count({ description: 'How much due work was done' }),
    events: Type.Array(ClockEvent),
    more: Type.Boolean({ description: 'Whether it stopped early, after the most steps that one call takes' }),
  },
  { title: 'ClockAdvance' },
);
export type ClockAdvance = Static<typeof ClockAdvance>;

export const advanceClock = operation({
  id: 'AdvanceClock',
  method: 'POST',
  path: '/v2/sandbox/clock/advance',
  summary: 'Move the clock of test mode forward and do what becomes due, each at its time',
  tag: 'Sandbox',
  permission: 'admin',
  body: Exact(
    {
      by: Type.Optional(Count({ minimum: 1, maximum: 31_536_000, description: 'Seconds' })),
      to: Type.Optional(Instant('At most 10 years ahead')),
      until: Type.Optional(Exact({ delivery_id: Reference(), status: Status })),
      next: Type.Optional(Type.Boolean({ description: 'To the next thing that is due' })),
      drain: Type.Optional(Type.Boolean({ description: 'Until nothing is due any more' })),
    },
    { minProperties: 1, title: 'ClockMove', description: 'Exactly one of its fields' },
  ),
  answer: ClockAdvance,
  errors: ['simulation_not_allowed', 'record_not_found', 'clock_unreadable'],
});
