import { readFileSync } from 'node:fs';
import { checkLoading, type Loading, loadingProblem } from '../../completion/check-loading.ts';
import { type InstallPlace, installPlace, userShell } from '../../completion/install-location.ts';
import { isInSettings, withoutFolders } from '../../completion/install-script.ts';
import { scriptOf } from '../../completion/scripts.ts';
import { invocation } from '../../kit/result/invocation.ts';
import { phrase } from '../../kit/result/message.ts';
import type { Context } from '../../session/context.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks the completion script of the current shell: installed, from this version, and loaded by new shells. */
export async function checkCompletion({ host, tree }: Context): Promise<Finding> {
  const shell = userShell(host);
  if (shell === null) return ok('completion', '$SHELL names no shell that can complete');
  const place = installPlace(shell, host);
  const { script, settings } = place;
  const text = textOf(script);
  const command = phrase`${invocation('completion', [shell, '--install'])}`;
  if (text !== null && withoutFolders(text) !== scriptOf(shell, tree))
    return warn('completion', `${script} was made by another version`, { command });
  const loading = await checkLoading(shell, host);
  if (text === null && loading.interactive === true)
    return ok('completion', `${shell} has it from elsewhere`);
  if (text === null) return ok('completion', `none installed for ${shell}`, { command });
  const problem = loadingProblem(shell, place, loading, host);
  if (problem === null) return ok('completion', `${shell}: ${script}${loadingText(place, loading)}`);
  const isOurs = loading.interactive !== false || (settings !== null && isInSettings(settings));
  const fix = isOurs ? { remedy: problem.remedy } : { command };
  return warn('completion', `${script}: ${problem.why}`, fix);
}

/** Where the script is installed; empty for a shell that finds it without settings. */
function loadingText({ settings }: InstallPlace, { interactive }: Loading): string {
  if (settings === null) return '';
  return interactive === true
    ? ', which a new shell loads'
    : '; whether a new shell loads it could not be asked';
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
