import type { Context } from '../session/context.ts';
import { checkLoading, type Loading, loadingProblem } from './check-loading.ts';
import { type InstallPlace, installPlace } from './install-location.ts';
import { addToSettings, type Change, install, isInSettings } from './install-script.ts';
import type { Shell } from './scripts/words.ts';
import { scriptOf } from './scripts.ts';

/** The files written, and the next step. */
interface SetUp {
  changes: Change[];
  note: string;
}

/**
 * Installs a shell's script. If the shell may find it without settings, asks the shell, and changes the settings only
 * if it does not. Throws Failure.
 */
export async function setUp(shell: Shell, { host, tree }: Pick<Context, 'host' | 'tree'>): Promise<SetUp> {
  const place = installPlace(shell, host);
  const { settings } = place;
  const isOpen = settings?.isOptional === true && !isInSettings(settings);
  const changes = install(isOpen ? { ...place, settings: null } : place, scriptOf(shell, tree));
  let loading = await checkLoading(shell, host);
  if (isOpen && loading.interactive !== true) {
    changes.push(addToSettings(settings));
    loading = await checkLoading(shell, host);
  }
  const problem = loadingProblem(shell, place, loading, host);
  const note =
    problem === null
      ? nextOf(shell, place, loading)
      : `It is installed, but ${problem.why}. ${problem.remedy}`;
  return { changes, note };
}

function nextOf(shell: Shell, { settings }: InstallPlace, { interactive }: Loading): string {
  if (settings === null) return `${shell} uses it from the next Tab on.`;
  if (interactive === true) return `A new ${shell} loads it: exec ${shell}`;
  const { file, lines } = settings;
  return shell === 'powershell'
    ? `A new PowerShell loads it if its $PROFILE is ${file}. If that is another file, add to it: ${lines.join('; ')}`
    : `A new ${shell} loads it if it reads ${file} to its end, which could not be checked.`;
}
