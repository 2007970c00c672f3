import { records } from '../../client/pages.ts';
import type { ApiKey } from '../../contract/accounts.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';

const look = { ...invocation('keys list'), when: 'see the keys' };

/**
 * Finds the ID of the one API key with this ID, name or last four characters; revoked keys count. Throws Failure with
 * exit 5 if there is none, and UsageError if several match.
 */
export async function findKeyId(context: Context, word: string): Promise<string> {
  const client = await context.client();
  const all: ApiKey[] = [];
  for await (const key of records(client.keys.list, {})) {
    if (key.id === word) return key.id;
    all.push(key);
  }
  const found = all.filter(({ name, last_four }) => last_four === word || name === word);
  const [first, ...others] = found;
  if (first === undefined) {
    throw new Failure(5, 'record_not_found', `There is no API key "${word}".`, {
      param: '--key',
      hint: 'Give its ID, its name or the last four characters of the key.',
      next: [look],
    });
  }
  if (others.length === 0) return first.id;
  throw new UsageError(`${found.length} API keys match "${word}". Use an ID instead.`, {
    choices: found.map(({ id }) => id),
    next: [look],
  });
}
