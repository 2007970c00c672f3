import type { Context } from '../context.ts';
import { checked, type Finding } from './finding.ts';
import { checkCompletion, checkProxy, checkRuntime, checkTerminal } from './machine.ts';
import { checkService } from './service.ts';
import { checkKeyPlace, checkModes, checkProfile } from './settings.ts';

/** Looks at everything, from the machine outward, and changes nothing. What cannot be asked without the rest is left out. */
export async function examine(context: Context): Promise<Finding[]> {
  const { host } = context;
  const settings = await checked('settings', host, () => checkProfile(context));
  const isReadable = settings.status !== 'fail';
  return [
    checkRuntime(host),
    settings,
    ...(isReadable ? await checkPlace(context) : []),
    await checked('completion', host, () => checkCompletion(context)),
    await checked('terminal', host, () => checkTerminal(context)),
  ];
}

async function checkPlace(context: Context): Promise<Finding[]> {
  const { host } = context;
  const key = await checked('keychain', host, () => checkKeyPlace(context));
  return [
    ...checkModes(context),
    key,
    ...(key.status === 'fail' ? [] : await checkService(context)),
    await checked('proxy', host, () => checkProxy(host, context.settings.target)),
  ];
}
