import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshHome, type RunOptions } from '../../../harness.ts';
import type { Sandbox } from '../../../sandbox.ts';

/** A folder with a file, and a function that imports it. */
export function importFolder(box: Sandbox, content: string, name = 'orders.csv') {
  const home = freshHome();
  const path = join(home, name);
  writeFileSync(path, content);
  const run = (flags: readonly string[] = [], options: RunOptions = {}) =>
    box.run(['orders', 'import', name, ...flags], { home, ...options });
  const beside = (ending: string) => readFileSync(`${path}${ending}`, 'utf8');
  return { home, path, run, beside };
}

/** A street of which the service, and only it, says that its ZIP code does not exist. */
export const refused_address = '1 Refused Rd, Chicago, IL 60606';

/** Runs with a service that refuses the orders to that street, as one with newer tables may. */
export function refusingRuns(box: Sandbox): RunOptions {
  return {
    transport: (request) =>
      box.transport({
        ...request,
        ...(typeof request.body === 'string'
          ? { body: request.body.replaceAll(refused_address, '1 Refused Rd, 00000') }
          : {}),
      }),
  };
}

/** Runs with a service that fails after a number of requests that change something. */
export function failingAfter(box: Sandbox, posts: number): RunOptions {
  let left = posts;
  return {
    transport: async (request) => {
      if (request.method === 'POST' && left-- <= 0)
        return { status: 500, headers: {}, body: '{"object":"error","code":"internal_error"}' };
      return box.transport(request);
    },
  };
}
