import { isScenario, type Scenario, type Simulation, scenarioNames, scenarios } from './scenarios.ts';

export type SimulationFault = { unknown: string; choices: readonly string[] };

/** The scenario of a dropoff phone of the range kept for fiction, digits only; null for every other. */
export function magicScenario(phone: string): Scenario | null {
  const number = /^1\d{3}55501(\d\d)$/.exec(phone)?.[1];
  if (number === undefined) return null;
  return scenarioNames.filter(isScenario).find((name) => scenarios[name].number === number) ?? null;
}

/** Reads `name; key=value`; says what it does not know, and what it knows instead. */
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

/** What chaos comes to, by a number from 0 up to but not 1: any of the other scenarios, each as likely. */
export function drawnScenario(fraction: number): Scenario {
  const others = scenarioNames.filter(isScenario).filter((name) => name !== 'chaos');
  return others[Math.floor(fraction * others.length)] ?? 'happy_path';
}
