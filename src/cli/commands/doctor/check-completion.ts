import { readFileSync } from 'node:fs';
import { type Loading, lackOf, loadingOf } from '../../completion/check-loading.ts';
import { type InstallPlace, installPlace, usualShell } from '../../completion/install-location.ts';
import { isNamed, withoutFolders } from '../../completion/install-script.ts';
import { scriptOf } from '../../completion/scripts.ts';
import { invocation } from '../../kit/result/invocation.ts';
import { phrase } from '../../kit/result/message.ts';
import type { Context } from '../../session/context.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks the completion script of the current shell: installed, from this version, and loaded by new shells. */
export async function checkCompletion({ host, tree }: Context): Promise<Finding> {
  const shell = usualShell(host);
  if (shell === null) return ok('completion', '$SHELL names no shell that can complete');
  const place = installPlace(shell, host);
  const { script, settings } = place;
  const text = textOf(script);
  const command = phrase`${invocation('completion', [shell, '--install'])}`;
  if (text !== null && withoutFolders(text) !== scriptOf(shell, tree))
    return warn('completion', `${script} was made by another version`, { command });
  const loading = await loadingOf(shell, host);
  if (text === null && loading.usual === true) return ok('completion', `${shell} has it from elsewhere`);
  if (text === null) return ok('completion', `none installed for ${shell}`, { command });
  const lack = lackOf(shell, place, loading, host);
  if (lack === null) return ok('completion', `${shell}: ${script}${loadingText(place, loading)}`);
  const isOurs = loading.usual !== false || (settings !== null && isNamed(settings));
  const cure = isOurs ? { remedy: lack.remedy } : { command };
  return warn('completion', `${script}: ${lack.why}`, cure);
}

/** Where the script is installed; empty for a shell that finds it without settings. */
function loadingText({ settings }: InstallPlace, { usual }: Loading): string {
  if (settings === null) return '';
  return usual === true ? ', which a new shell loads' : '; whether a new shell loads it could not be asked';
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
