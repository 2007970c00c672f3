import type { Context } from '../../session/command.ts';
import { checkProxy, checkRuntime, checkTerminal } from './check-machine.ts';
import { checkService } from './check-service.ts';
import { checkKeyPlace, checkModes, checkProfile } from './check-settings.ts';
import { type Finding, runCheck } from './finding.ts';

/**
 * Runs all checks, from the machine outward, without changing anything. Checks that depend on a failed one are left
 * out.
 */
export async function examine(context: Context): Promise<Finding[]> {
  const { host } = context;
  const settings = await runCheck('settings', context, () => checkProfile(context));
  const isReadable = settings.status !== 'fail';
  return [
    checkRuntime(host),
    settings,
    ...(isReadable ? await checkPlace(context) : []),
    await runCheck('terminal', context, () => checkTerminal(context)),
  ];
}

async function checkPlace(context: Context): Promise<Finding[]> {
  const { host } = context;
  const key = await runCheck('keychain', context, () => checkKeyPlace(context));
  return [
    ...checkModes(context),
    key,
    ...(key.status === 'fail' ? [] : await checkService(context)),
    await runCheck('proxy', context, () => checkProxy(host, context.settings.target)),
  ];
}
