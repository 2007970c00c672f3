import { Status } from './deliveries.ts';
import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Id, Instant, Nullable, Text, Type, Words } from './schema.ts';
import { providerStates } from './vocabulary.ts';

const notAllowed = ['simulation_not_allowed'] as const;

/** What the sandbox can be told to do with a delivery. */
export const Scenario = Type.Object(
  {
    name: Type.String(),
    number: Nullable(Type.String({ description: 'NN of the magic dropoff phone +1 <area> 555 01NN' })),
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
  summary: 'Every scenario that a delivery can be given',
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
    default_scenario: Nullable(Type.String({ description: 'Where neither header nor phone names one' })),
  },
  { title: 'SandboxSettings' },
);

export const getSandboxSettings = operation({
  id: 'GetSandboxSettings',
  method: 'GET',
  path: '/v2/sandbox/settings',
  summary: 'The scenario of everything that names none',
  tag: 'Sandbox',
  permission: 'read',
  answer: SandboxSettings,
  errors: notAllowed,
});

export const updateSandboxSettings = operation({
  id: 'UpdateSandboxSettings',
  method: 'PATCH',
  path: '/v2/sandbox/settings',
  summary: 'Choose the scenario of everything that names none; null or nothing goes back to happy_path',
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
  summary: 'The statuses that a delivery can take as its next step',
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
  summary: 'Have the courier report a status now',
  tag: 'Sandbox',
  permission: 'write',
  params: stepParams,
  body: Exact({ status: Status }),
  answer: Steps,
  errors: ['simulation_not_allowed', 'record_not_found', 'step_not_legal'],
});

/** How a simulated courier company is doing. */
export const SandboxProvider = Type.Object(
  {
    object: Type.Literal('sandbox_provider'),
    name: Type.String(),
    state: Type.Enum(providerStates),
    slow_seconds: Nullable(Count()),
    until: Nullable(Instant('When it is well again; null: when it is told so')),
  },
  { title: 'SandboxProvider' },
);
export type SandboxProvider = Static<typeof SandboxProvider>;

const providerParams = Exact({ name: Text(64) });

export const getProvider = operation({
  id: 'GetSandboxProvider',
  method: 'GET',
  path: '/v2/sandbox/providers/{name}',
  summary: 'How a simulated courier company is doing',
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
  summary: 'Make a simulated courier company fail, or well again',
  tag: 'Sandbox',
  permission: 'write',
  params: providerParams,
  body: Exact({
    state: Type.Enum(providerStates),
    slow_seconds: Type.Optional(
      Count({ minimum: 1, maximum: 3600, description: 'How much later it answers, where it is slow' }),
    ),
    for_seconds: Type.Optional(
      Count({ minimum: 1, maximum: 2_592_000, description: 'How long, by the clock of the service' }),
    ),
  }),
  answer: SandboxProvider,
  errors: ['simulation_not_allowed', 'record_not_found'],
});

export const resetSandbox = operation({
  id: 'ResetSandbox',
  method: 'POST',
  path: '/v2/sandbox/reset',
  summary: 'Delete every test record of the account, and begin anew',
  tag: 'Sandbox',
  permission: 'admin',
  body: Exact({
    seed: Type.Optional(Words(64, { description: 'What chance is drawn from after this' })),
  }),
  answer: Type.Object(
    { object: Type.Literal('sandbox_reset'), deleted: Count({ description: 'How many deliveries went' }) },
    { title: 'SandboxReset' },
  ),
  errors: notAllowed,
});
