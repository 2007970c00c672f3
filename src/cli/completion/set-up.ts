import type { Context } from '../session/context.ts';
import { type Loading, lackOf, loadingOf } from './check-loading.ts';
import { type InstallPlace, installPlace } from './install-location.ts';
import { type Change, install, isNamed, nameInSettings } from './install-script.ts';
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
  const isOpen = settings?.isOptional === true && !isNamed(settings);
  const changes = install(isOpen ? { ...place, settings: null } : place, scriptOf(shell, tree));
  let loading = await loadingOf(shell, host);
  if (isOpen && loading.usual !== true) {
    changes.push(nameInSettings(settings));
    loading = await loadingOf(shell, host);
  }
  const lack = lackOf(shell, place, loading, host);
  const note =
    lack === null ? nextOf(shell, place, loading) : `It is in its place; ${lack.why}. ${lack.remedy}`;
  return { changes, note };
}

function nextOf(shell: Shell, { settings }: InstallPlace, { usual }: Loading): string {
  if (settings === null) return `${shell} has it from the next key press on.`;
  if (usual === true) return `A new ${shell} has it: exec ${shell}`;
  const { file, lines } = settings;
  return shell === 'powershell'
    ? `A new PowerShell has it, where its $PROFILE is ${file}. Where that is another file, put there: ${lines.join('; ')}`
    : `A new ${shell} has it, where it reads ${file} to its end; it could not be asked.`;
}
