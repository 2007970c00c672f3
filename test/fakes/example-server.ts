import { createServer } from 'node:http';
import { isFields } from '../../src/domain/fields.ts';
import { listenLocally } from '../local-server.ts';

interface Example {
  method: string;
  path: RegExp;
  status: number;
  body: unknown;
}

/**
 * A server that answers each operation of an OpenAPI document with the example of its first successful response,
 * whatever the request says, as mock servers for such documents do. Gives its address.
 */
export async function exampleServer(document: unknown): Promise<{ url: string; close(): Promise<void> }> {
  const examples = examplesIn(document);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://service');
    const found = examples.find(({ method, path }) => method === request.method && path.test(pathname));
    request.resume();
    response.writeHead(found?.status ?? 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found?.body ?? { title: 'No such path', detail: pathname }));
  });
  const { port, close } = await listenLocally(server);
  return { url: `http://127.0.0.1:${port}`, close };
}

function examplesIn(document: unknown): Example[] {
  const paths = Object.entries(fieldsAt(document, 'paths'));
  // A path without parameters comes first.
  paths.sort(([left], [right]) => Number(left.includes('{')) - Number(right.includes('{')));
  return paths.flatMap(([path, operations]) =>
    Object.entries(fieldsAt({ operations }, 'operations')).map(([method, operation]) => ({
      ...{ method: method.toUpperCase(), path: patternOf(path) },
      ...successOf(operation, document),
    })),
  );
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}

function successOf(operation: unknown, document: unknown): { status: number; body: unknown } {
  const [status = '200', response] =
    Object.entries(fieldsAt(operation, 'responses')).find(([code]) => code.startsWith('2')) ?? [];
  const media = fieldsAt(fieldsAt(response, 'content'), 'application/json');
  const [example] = Object.values(fieldsAt(media, 'examples'));
  return {
    status: Number(status),
    body: fieldsAt({ example: resolved(example, document) }, 'example').value,
  };
}

/** `{ "$ref": "#/components/examples/Order" }` */
function resolved(value: unknown, document: unknown): unknown {
  if (!isFields(value) || typeof value.$ref !== 'string') return value;
  const names = value.$ref.slice('#/'.length).split('/');
  return names.reduce<unknown>((place, name) => fieldsAt(place, name), document);
}

function fieldsAt(value: unknown, name: string): Record<string, unknown> {
  const field = isFields(value) ? value[name] : undefined;
  return isFields(field) ? field : {};
}
