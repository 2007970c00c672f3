import { readFileSync } from 'node:fs';
import { checkLoading, type Loading, loadingProblem } from '../../completion/check-loading.ts';
import { type InstallPlace, installPlace, userShell } from '../../completion/install-location.ts';
import { isInSettings, withoutFolders } from '../../completion/install-script.ts';
import type { Shell } from '../../completion/scripts/words.ts';
import { scriptOf } from '../../completion/scripts.ts';
import type { Host } from '../../kit/host/host.ts';
import { invocation } from '../../kit/result/invocation.ts';
import { phrase, type Text } from '../../kit/result/message.ts';
import type { Context } from '../../session/context.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks the completion script of the current shell: installed, from this version, and loaded by new shells. */
export async function checkCompletion({ host, tree }: Context): Promise<Finding> {
  const shell = userShell(host);
  if (shell === null) return ok('completion', '$SHELL names no shell that can complete');
  const place = installPlace(shell, host);
  const { script } = place;
  const text = textOf(script);
  const command = installCommand(shell);
  if (text !== null && withoutFolders(text) !== scriptOf(shell, tree))
    return warn('completion', `${script} was made by another version`, { command });
  const loading = await checkLoading(shell, host);
  if (text !== null) return loadingFinding(shell, place, loading, host);
  return loading.interactive === true
    ? ok('completion', `${shell} loads another copy of it`)
    : ok('completion', `none installed for ${shell}`, { command });
}

/** Whether new shells load the installed script. */
function loadingFinding(shell: Shell, place: InstallPlace, loading: Loading, host: Host): Finding {
  const { script, settings } = place;
  const problem = loadingProblem(shell, place, loading, host);
  if (problem === null) return ok('completion', `${shell}: ${script}${loadingText(place, loading)}`);
  const isOurs = loading.interactive !== false || (settings !== null && isInSettings(settings));
  const fix = isOurs ? { remedy: problem.remedy } : { command: installCommand(shell) };
  return warn('completion', `${script}: ${problem.why}`, fix);
}

/** Whether a new shell loads the script; empty for a shell that finds it without settings. */
function loadingText({ settings }: InstallPlace, { interactive }: Loading): string {
  if (settings === null) return '';
  return interactive === true
    ? ', which a new shell loads'
    : '; could not check whether a new shell loads it';
}

function installCommand(shell: Shell): Text {
  return phrase`${invocation('completion', [shell, '--install'])}`;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
