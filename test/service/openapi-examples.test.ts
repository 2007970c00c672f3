import { expect, test } from 'vitest';
import { correctable } from '../../src/contract/errors.ts';
import { everyOperation } from '../../src/contract/openapi.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { acceptingCouriers, unusedConnections } from '../fakes/courier-check.ts';
import { type Fixture, startFixture } from './fixture.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: { examples: unknown[] };
}

interface Described {
  parameters: { $ref: string }[];
  requestBody?: { content: { 'application/json': { example: unknown } } };
}

interface Description {
  servers: { url: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { parameters: Record<string, Parameter> };
}

async function descriptionOf({ send }: Fixture): Promise<Description> {
  const { body } = await send('GET', '/openapi.json');
  return JSON.parse(body);
}

/** The request of an operation with the example of each parameter and of its body. */
function exampleRequest(description: Description, { method, path }: Operation) {
  const described = description.paths[path]?.[method.toLowerCase()];
  if (described === undefined) throw new Error(`${method} ${path} is not described`);
  const examples = (place: Parameter['in']): [string, string][] =>
    described.parameters.flatMap(({ $ref }) => {
      const parameter = description.components.parameters[$ref.split('/').at(-1) ?? ''];
      if (parameter?.in !== place) return [];
      return [[parameter.name, String(parameter.schema.examples[0])]];
    });
  const params = new Map(examples('path'));
  const query = new URLSearchParams(examples('query'));
  return {
    path: `${path.replace(/\{(\w+)\}/g, (_, name) => params.get(name) ?? '')}?${query}`,
    headers: Object.fromEntries(examples('header').filter(([name]) => name !== 'Idempotency-Key')),
    body: described.requestBody?.content['application/json'].example,
  };
}

test('every example request passes validation', async () => {
  const parts = { courier_http: () => acceptingCouriers, connections: unusedConnections };
  const fixture = await startFixture({ parts });
  const description = await descriptionOf(fixture);
  const refused: string[] = [];
  const statuses = new Set<number>();
  for (const operation of everyOperation) {
    const { path, headers, body } = exampleRequest(description, operation);
    const response = await fixture.send(operation.method, path, { headers, body });
    response.stream?.close();
    statuses.add(response.status);
    const { code = '' } = response.body.startsWith('{') ? JSON.parse(response.body) : {};
    if (correctable.includes(code) || ![200, 202, 404].includes(response.status)) {
      refused.push(`${operation.id} ${path}: ${response.status} ${response.body.slice(0, 300)}`);
    }
  }
  expect(refused).toEqual([]);
  expect(statuses).toEqual(new Set([200, 202, 404]));
});

test('the server of the OpenAPI description is the requested one', async () => {
  const named = await descriptionOf(await startFixture());
  expect(named.servers).toEqual([expect.objectContaining({ url: 'https://shop.example' })]);
  for (const publicUrl of ['http://0.0.0.0:4010', 'http://[::]:4010']) {
    const { servers } = await descriptionOf(await startFixture({ parts: { publicUrl } }));
    expect(servers).toEqual([expect.objectContaining({ url: '/' })]);
  }
});
