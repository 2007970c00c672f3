import { Problem } from '../contract/errors.ts';
import { happyPath, parseSimulation, type Simulation } from '../domain/scenarios.ts';
import type { CallBase } from './endpoint.ts';

/** The fate that a request chooses by its header. Throws `simulation_not_allowed` and `simulation_unknown`. */
export function simulationOf({ service, caller, simulation }: CallBase): Simulation {
  if (simulation === null) return happyPath;
  if (!caller.test_mode || !service.sandbox) {
    const message = 'The x-simulation header is for test keys on a sandbox service.';
    throw new Problem('simulation_not_allowed', message);
  }
  const names = service.providers.map((provider) => provider.name);
  const chosen = parseSimulation(simulation, names);
  if (!('unknown' in chosen)) return chosen;
  const message = `"${chosen.unknown}" is not known here; there is ${chosen.choices.join(', ')}.`;
  throw new Problem('simulation_unknown', message, [{ path: 'x-simulation', message: 'is not known' }]);
}
