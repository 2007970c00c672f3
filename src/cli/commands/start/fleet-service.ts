import { join } from 'node:path';
import type { Context } from '../../session/context.ts';
import { runServer } from '../serve.ts';
import { localServer } from '../track/local-pages.ts';

/**
 * Serves a new service, with its database in a folder, on this machine while `work` runs. A browser can open its pages.
 * Yields what `work` yields, which gets a context of that service.
 */
export async function* servedWhile<T>(
  context: Context,
  folder: string,
  work: (context: Context) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const database = join(folder, 'waybill.db');
  // No second try on another port: it would find the account of the first one, whose keys are not shown again.
  const options = { ...localServer, port: 0, otherPort: false, database };
  for await (const { url, keys } of runServer(context, options)) {
    if (keys === null) throw new Error('the folder has a database already');
    const served = context.at({
      ...{ name: 'start', nameOrigin: 'default', profile: null, keyOrigin: 'default' },
      file: join(folder, 'profiles.json'),
      target: { kind: 'http', baseUrl: url },
      apiKey: keys.test,
      mode: 'test',
    });
    yield* work(served);
    return;
  }
}
