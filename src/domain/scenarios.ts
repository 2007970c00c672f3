/** What the sandbox can be told to do with a delivery, by name: the one table of scenarios. */
export const scenarios = {
  happy_path: 'Nothing out of the ordinary: every courier does as its figures say',
} as const satisfies Record<string, string>;

export type Scenario = keyof typeof scenarios;

/** The fate chosen for an order when it was made. */
export interface Simulation {
  scenario: Scenario;
  /** A provider to ask that is only asked by name. */
  provider: string | null;
}

export type SimulationFault = { unknown: string; choices: readonly string[] };

export const happyPath: Simulation = { scenario: 'happy_path', provider: null };

/** Reads `name; key=value`; says what it does not know, and what it knows instead. */
export function parseSimulation(text: string, providers: readonly string[]): Simulation | SimulationFault {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  if (!isScenario(name)) return { unknown: name, choices: Object.keys(scenarios) };
  let provider: string | null = null;
  for (const parameter of parameters.filter((part) => part !== '')) {
    const [key = '', value = ''] = parameter.split('=').map((part) => part.trim());
    if (key !== 'provider') return { unknown: key, choices: ['provider'] };
    if (!providers.includes(value)) return { unknown: value, choices: providers };
    provider = value;
  }
  return { scenario: name, provider };
}

function isScenario(name: string): name is Scenario {
  return Object.hasOwn(scenarios, name);
}
