/** The sandbox: scenarios and steps of simulated deliveries, its settings and its clock. */
import { Status } from './deliveries.ts';
import { defineOperation } from './operation.ts';
import { Count, Exact, Id, Instant, Nullable, Reference, type Static, Text, Type, Words } from './schema.ts';
import { clockModes, providerStates } from './vocabulary.ts';

/** A field that may be given with some values of another one only. */
function onlyWith(field: string, other: string, values: readonly string[]): object {
  return {
    anyOf: [{ properties: { [field]: { type: 'null' } } }, { properties: { [other]: { enum: values } } }],
  };
}

const notAllowed = ['simulation_not_allowed'] as const;

/** A sandbox scenario of a delivery. */
export const Scenario = Type.Object(
  {
    name: Type.String(),
    number: Nullable(Type.String({ description: 'NN of the magic dropoff phone number +1 <area> 555 01NN' })),
    happens: Type.String(),
    money: Type.String(),
  },
  { title: 'Scenario' },
);
export type Scenario = Static<typeof Scenario>;

export const listScenarios = defineOperation({
  id: 'ListScenarios',
  method: 'GET',
  path: '/v2/sandbox/scenarios',
  summary: 'List the scenarios of the sandbox',
  tag: 'Sandbox',
  permission: 'read',
  answer: Type.Object(
    { object: Type.Literal('scenarios'), data: Type.Array(Scenario) },
    { title: 'Scenarios' },
  ),
  errors: notAllowed,
});

const SandboxSettings = Type.Object(
  {
    object: Type.Literal('sandbox_settings'),
    default_scenario: Nullable(
      Type.String({ description: 'Used if neither the header nor the phone number selects a scenario' }),
    ),
  },
  { title: 'SandboxSettings' },
);

export const getSandboxSettings = defineOperation({
  id: 'GetSandboxSettings',
  method: 'GET',
  path: '/v2/sandbox/settings',
  summary: 'Get the default scenario',
  tag: 'Sandbox',
  permission: 'read',
  answer: SandboxSettings,
  errors: notAllowed,
});

export const updateSandboxSettings = defineOperation({
  id: 'UpdateSandboxSettings',
  method: 'PATCH',
  path: '/v2/sandbox/settings',
  summary: 'Set the default scenario; null or no value resets it to happy_path',
  tag: 'Sandbox',
  permission: 'write',
  body: Exact({ default_scenario: Type.Optional(Words(100)) }),
  answer: SandboxSettings,
  errors: ['simulation_not_allowed', 'simulation_unknown'],
});

const Steps = Type.Object(
  { object: Type.Literal('steps'), delivery_id: Id('dlv'), status: Status, data: Type.Array(Status) },
  { title: 'Steps', description: 'The statuses that the courier can report now' },
);
export type Steps = Static<typeof Steps>;

const stepParams = Exact({ delivery_id: Id('dlv') });

export const listSteps = defineOperation({
  id: 'ListSteps',
  method: 'GET',
  path: '/v2/sandbox/deliveries/{delivery_id}/steps',
  summary: 'List the statuses that the courier of a delivery can report now',
  tag: 'Sandbox',
  permission: 'read',
  params: stepParams,
  answer: Steps,
  errors: ['simulation_not_allowed', 'record_not_found'],
});

export const takeStep = defineOperation({
  id: 'TakeStep',
  method: 'POST',
  path: '/v2/sandbox/deliveries/{delivery_id}/steps',
  summary: 'Make the courier report a status now',
  tag: 'Sandbox',
  permission: 'write',
  params: stepParams,
  body: Exact({ status: Status }),
  answer: Steps,
  errors: ['simulation_not_allowed', 'record_not_found', 'step_not_legal'],
});

/** The state of a simulated provider. */
export const SandboxProvider = Type.Object(
  {
    object: Type.Literal('sandbox_provider'),
    name: Type.String(),
    state: Type.Enum(providerStates),
    slow_seconds: Nullable(Count()),
    until: Nullable(Instant('When the state ends; null: when it is changed')),
  },
  { title: 'SandboxProvider' },
);
export type SandboxProvider = Static<typeof SandboxProvider>;

const providerParams = Exact({ name: Text(64) });

export const getProvider = defineOperation({
  id: 'GetSandboxProvider',
  method: 'GET',
  path: '/v2/sandbox/providers/{name}',
  summary: 'Get the state of a simulated provider',
  tag: 'Sandbox',
  permission: 'read',
  params: providerParams,
  answer: SandboxProvider,
  errors: ['simulation_not_allowed', 'record_not_found'],
});

export const updateProvider = defineOperation({
  id: 'UpdateSandboxProvider',
  method: 'PATCH',
  path: '/v2/sandbox/providers/{name}',
  summary: 'Set the state of a simulated provider, such as an outage',
  tag: 'Sandbox',
  permission: 'write',
  params: providerParams,
  body: Exact(
    {
      state: Type.Enum(providerStates),
      slow_seconds: Type.Optional(
        Count({ minimum: 1, maximum: 3600, description: 'Delay of its responses in the state slow' }),
      ),
      for_seconds: Type.Optional(
        Count({ minimum: 1, maximum: 2_592_000, description: 'How long the state lasts, in service time' }),
      ),
    },
    {
      rules: [
        { schema: onlyWith('slow_seconds', 'state', ['slow']) },
        { schema: onlyWith('for_seconds', 'state', ['down', 'slow', 'no_capacity']) },
      ],
    },
  ),
  answer: SandboxProvider,
  errors: ['simulation_not_allowed', 'record_not_found'],
});

export const resetSandbox = defineOperation({
  id: 'ResetSandbox',
  method: 'POST',
  path: '/v2/sandbox/reset',
  summary: 'Delete all test records of the account; the only account also gets a clock at real time',
  tag: 'Sandbox',
  permission: 'admin',
  body: Exact({
    seed: Type.Optional(
      Words(64, { description: 'Seed of all random decisions after the reset, of all accounts' }),
    ),
  }),
  answer: Type.Object(
    {
      object: Type.Literal('sandbox_reset'),
      deleted: Count({ description: 'Number of deliveries deleted' }),
    },
    { title: 'SandboxReset' },
  ),
  errors: ['simulation_not_allowed', 'forbidden'],
});

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

export const getClock = defineOperation({
  id: 'GetClock',
  method: 'GET',
  path: '/v2/sandbox/clock',
  summary: 'Get the clock of test mode',
  tag: 'Sandbox',
  permission: 'read',
  answer: ClockRecord,
  errors: ['simulation_not_allowed', 'clock_unreadable'],
});

export const setClock = defineOperation({
  id: 'SetClock',
  method: 'POST',
  path: '/v2/sandbox/clock',
  summary: 'Set how time passes in test mode, from the current service time on',
  tag: 'Sandbox',
  permission: 'admin',
  body: Exact(
    {
      mode: Type.Enum(clockModes),
      rate: Type.Optional(
        Type.Number({ minimum: 0.001, maximum: 86_400, description: 'Only in scaled mode; default 60' }),
      ),
    },
    { rules: [{ schema: onlyWith('rate', 'mode', ['scaled']) }] },
  ),
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
    webhooks_sent: Type.Optional(
      Count({ description: 'Number of webhooks sent on the way, whatever was answered; absent for none' }),
    ),
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
  {
    minProperties: 1,
    title: 'ClockMove',
    description: 'Exactly one field is required',
    rules: [{ one: ['by', 'to', 'until', 'next', 'drain'] }],
  },
);
export type ClockMove = Static<typeof ClockMove>;

export const advanceClock = defineOperation({
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
