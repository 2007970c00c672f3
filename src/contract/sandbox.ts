import { Status } from './deliveries.ts';
import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Id, Instant, Nullable, Text, Type, Words } from './schema.ts';
import { providerStates } from './vocabulary.ts';

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

export const listScenarios = operation({
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

export const getSandboxSettings = operation({
  id: 'GetSandboxSettings',
  method: 'GET',
  path: '/v2/sandbox/settings',
  summary: 'Get the default scenario',
  tag: 'Sandbox',
  permission: 'read',
  answer: SandboxSettings,
  errors: notAllowed,
});

export const updateSandboxSettings = operation({
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

export const listSteps = operation({
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

export const takeStep = operation({
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

export const getProvider = operation({
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

export const updateProvider = operation({
  id: 'UpdateSandboxProvider',
  method: 'PATCH',
  path: '/v2/sandbox/providers/{name}',
  summary: 'Set the state of a simulated provider, such as an outage',
  tag: 'Sandbox',
  permission: 'write',
  params: providerParams,
  body: Exact({
    state: Type.Enum(providerStates),
    slow_seconds: Type.Optional(
      Count({ minimum: 1, maximum: 3600, description: 'Delay of its responses in the state slow' }),
    ),
    for_seconds: Type.Optional(
      Count({ minimum: 1, maximum: 2_592_000, description: 'How long the state lasts, in service time' }),
    ),
  }),
  answer: SandboxProvider,
  errors: ['simulation_not_allowed', 'record_not_found'],
});

export const resetSandbox = operation({
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
