/** Chooses the scenario that a record of the sandbox follows (`simulationFor`), and checks who may choose one. */
import { hash } from 'node:crypto';
import { Problem } from '../../contract/errors.ts';
import { nearNames } from '../../domain/near-names.ts';
import {
  drawnScenario,
  happyPath,
  magicScenario,
  parseSimulation,
  type Simulation,
} from '../../domain/scenarios.ts';
import { selectSimulated } from '../runtime/courier-connections.ts';
import { takeRandomPart } from '../runtime/ids.ts';
import { fraction } from '../runtime/random.ts';
import type { CallBase } from './handler.ts';

interface Simulated {
  dropoff_phone: string;
  /** Its path in the request. */
  at: string;
  /** Its content without IDs and times, which differ from run to run. */
  content: unknown;
}

/**
 * The scenario of a record: from the request's header, the magic dropoff phone number, the account's default, or
 * none, in this order. `chaos` is replaced by a random scenario, the same for every repeat of the request. Throws
 * `simulation_not_allowed` and `simulation_unknown`.
 */
export async function simulationFor(call: CallBase, simulated: Simulated): Promise<Simulation> {
  const chosen = chosenFor(call, simulated.dropoff_phone);
  const fate = await seededKey(call, simulated);
  const known = fate === null ? chosen : { ...chosen, fate };
  if (chosen.scenario !== 'chaos') return known;
  const chance = await call.service.chance();
  const drawn = fraction(chance('chaos', fate ?? takeRandomPart(call.id('ord', 'chaos', simulated.at))));
  return { ...known, scenario: drawnScenario(drawn) };
}

/**
 * The key of an order's random decisions with a chosen seed: its content, and how many of that content came before.
 * Accounts, keys and IDs are no part of it, so that the same commands repeat on any database. Null without a seed.
 */
async function seededKey({ service, caller }: CallBase, { content }: Simulated): Promise<string | null> {
  if (!caller.test_mode || !service.sandbox) return null;
  const hashed = hash('sha256', JSON.stringify(content), 'hex').slice(0, 32);
  const number = await service.countContent(caller.scope, hashed);
  return number === null ? null : `${hashed} ${number}`;
}

function chosenFor(call: CallBase, dropoff_phone: string): Simulation {
  const { service, caller, simulation } = call;
  if (simulation !== null) return chosenBy(call, simulation);
  if (!caller.test_mode || !service.sandbox) return happyPath;
  const scenario = magicScenario(dropoff_phone) ?? caller.settings.default_scenario;
  return scenario === null ? happyPath : { scenario, provider: null };
}

function chosenBy(call: CallBase, header: string): Simulation {
  requireSandbox(call, 'The x-simulation header');
  const names = selectSimulated(call.service.providers).map(({ name }) => name);
  const chosen = parseSimulation(header, names);
  if (!('unknown' in chosen)) return chosen;
  throw unknownSimulation(chosen.unknown, chosen.choices, 'x-simulation');
}

/** The error for an unknown name, with similar ones. */
export function unknownSimulation(name: string, choices: readonly string[], path: string): Problem {
  const message = `Unknown scenario or parameter "${name}"; ${choicesText(name, choices)}.`;
  return new Problem('simulation_unknown', message, [{ path, message: 'is unknown' }], {
    choices: choicesFor(name, choices),
  });
}

/** Up to this many names are listed completely. */
const max_listed = 8;

function choicesText(name: string, choices: readonly string[]): string {
  const shown = choicesFor(name, choices);
  return shown.length > 0 ? `expected ${shown.join(' or ')}` : 'see GET /v2/sandbox/scenarios';
}

/** The similar names, or all if they are few. */
function choicesFor(name: string, choices: readonly string[]): readonly string[] {
  const near = nearest(name, choices);
  if (near.length > 0) return near;
  return choices.length <= max_listed ? choices : [];
}

/** At most three: names within two edits, then names with a word that starts like one of the given words. */
function nearest(name: string, choices: readonly string[]): readonly string[] {
  const written = name.toLowerCase();
  const parts = written.split(/[^a-z0-9]+/).filter((part) => part.length > 2);
  const isNear = (word: string) => parts.some((part) => word.startsWith(part.slice(0, 5)));
  const byWord = choices.filter((choice) => choice.split('_').some(isNear));
  return [...new Set([...nearNames(written, choices), ...byWord])].slice(0, 3);
}

/** Throws `simulation_not_allowed` unless the call has a test key on a sandbox service. */
export function requireSandbox({ service, caller }: CallBase, what: string): void {
  if (caller.test_mode && service.sandbox) return;
  throw new Problem('simulation_not_allowed', `${what} requires a test key on a sandbox service.`);
}
