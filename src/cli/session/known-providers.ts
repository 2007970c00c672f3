import { didYouMean } from '../kit/args/suggestions.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Context } from './command.ts';

/**
 * Refuses a provider that the account does not have, before anything is done with it. A service that lists none is
 * trusted to know it.
 */
export async function checkProvider(context: Context, name: string | undefined): Promise<void> {
  if (name === undefined || !context.has('account') || context.globals.dryRun) return;
  const client = await context.client();
  const { providers } = (await client.account.get()).data;
  if (providers.length === 0 || providers.includes(name)) return;
  const hint = didYouMean(name, providers);
  throw new UsageError(`There is no provider "${name}".`, {
    code: 'bad_value',
    param: '--provider',
    choices: providers,
    ...(hint === undefined ? {} : { hint }),
  });
}
