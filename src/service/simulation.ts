import { Problem } from '../contract/errors.ts';
import { happyPath, magicScenario, parseSimulation, type Simulation } from '../domain/scenarios.ts';
import type { CallBase } from './endpoint.ts';

/**
 * The fate of what a request makes, first match wins: its header, the magic dropoff phone, what the account has
 * chosen, else nothing out of the ordinary. Throws `simulation_not_allowed` and `simulation_unknown`.
 */
export function simulationFor(call: CallBase, dropoff_phone: string): Simulation {
  const { service, caller, simulation } = call;
  if (simulation !== null) return chosenBy(call, simulation);
  if (!caller.test_mode || !service.sandbox) return happyPath;
  const scenario = magicScenario(dropoff_phone) ?? caller.settings.default_scenario;
  return scenario === null ? happyPath : { scenario, provider: null };
}

function chosenBy(call: CallBase, header: string): Simulation {
  requireSandbox(call, 'The x-simulation header');
  const names = call.service.providers.map((provider) => provider.name);
  const chosen = parseSimulation(header, names);
  if (!('unknown' in chosen)) return chosen;
  throw unknownSimulation(chosen.unknown, chosen.choices, 'x-simulation');
}

/** The refusal of a name that the sandbox does not know, with those that come near. */
export function unknownSimulation(name: string, choices: readonly string[], path: string): Problem {
  const message = `"${name}" is not known here; there is ${nearest(name, choices).join(', ')}.`;
  return new Problem('simulation_unknown', message, [{ path, message: 'is not known' }]);
}

/** Those with a word that begins like one that was written; all where there is none. */
function nearest(name: string, choices: readonly string[]): readonly string[] {
  const parts = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part.length > 2);
  const isNear = (word: string) => parts.some((part) => word.startsWith(part.slice(0, 5)));
  const near = choices.filter((choice) => choice.split('_').some(isNear));
  return near.length === 0 ? choices : near;
}

/** Throws `simulation_not_allowed` where the call is not one with a test key on a sandbox service. */
export function requireSandbox({ service, caller }: CallBase, what: string): void {
  if (caller.test_mode && service.sandbox) return;
  throw new Problem('simulation_not_allowed', `${what} is for test keys on a sandbox service.`);
}
