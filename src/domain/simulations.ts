import { isScenario, type Scenario, type Simulation, scenarioNames, scenarios } from './scenarios.ts';

export type SimulationFault = { unknown: string; choices: readonly string[] };

/** The scenario of a magic dropoff phone number, digits only; null for any other number. */
export function magicScenario(phone: string): Scenario | null {
  const number = /^1\d{3}55501(\d\d)$/.exec(phone)?.[1];
  if (number === undefined) return null;
  return scenarioNames.filter(isScenario).find((name) => scenarios[name].number === number) ?? null;
}

/** Parses `name; key=value`; returns the unknown part with its choices if there is one. */
export function parseSimulation(text: string, providers: readonly string[]): Simulation | SimulationFault {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  if (!isScenario(name)) return { unknown: name, choices: scenarioNames };
  let provider: string | null = null;
  for (const parameter of parameters.filter((part) => part !== '')) {
    const [key = '', value = ''] = parameter.split('=').map((part) => part.trim());
    if (key !== 'provider') return { unknown: key, choices: ['provider'] };
    if (!providers.includes(value)) return { unknown: value, choices: providers };
    provider = value;
  }
  return { scenario: name, provider };
}

/** Picks the scenario of `chaos` for a random number in [0, 1): each of the others is equally likely. */
export function drawnScenario(fraction: number): Scenario {
  const others = scenarioNames.filter(isScenario).filter((name) => name !== 'chaos');
  return others[Math.floor(fraction * others.length)] ?? 'happy_path';
}
