import { statSync } from 'node:fs';
import { posix } from 'node:path';
import type { Host } from '../kit/host/host.ts';
import type { InstallPlace } from './install-location.ts';
import type { Shell } from './scripts/words.ts';

type Asking = Pick<Host, 'environment' | 'platform' | 'home' | 'shell' | 'signal'>;

/** Whether a new shell completes waybill, as it reports itself; null if unknown. */
export interface Loading {
  interactive: boolean | null;
  login: boolean | null;
}

/**
 * Asks a new shell, which reads its settings. fish is not asked because it always reads its own folder, and PowerShell
 * because it starts slowly.
 */
export async function checkLoading(shell: Shell, host: Asking): Promise<Loading> {
  if (host.platform === 'win32' || (shell !== 'bash' && shell !== 'zsh'))
    return { interactive: null, login: null };
  const question = shell === 'bash' ? bashQuestion : zshQuestion;
  const [interactive, login] = await Promise.all(
    // Every zsh reads the same settings, also at login.
    (shell === 'bash' ? ['-ic', '-lic'] : ['-ic']).map((flags) => askShell([shell, flags, question], host)),
  );
  return { interactive: interactive ?? null, login: login ?? null };
}

async function askShell(
  [shell, ...words]: readonly [Shell, ...string[]],
  { environment, shell: run, signal }: Asking,
): Promise<boolean | null> {
  const { SHELL = '' } = environment;
  // The user's shell may not be the first one on the PATH.
  const program = posix.basename(SHELL) === shell ? SHELL : shell;
  const text = await run([program, ...words], signal);
  const answer = /^waybill: (yes|no)$/m.exec(text ?? '')?.[1];
  return answer === undefined ? null : answer === 'yes';
}

/** The package bash-completion loads its scripts at the first Tab, so this loads them. */
const bashQuestion = `unset HISTFILE
complete -p waybill || {
  loader=$(complete -p -D); loader=\${loader##*-F }; loader=\${loader%% *}
  [[ -n $loader ]] && "$loader" waybill '' waybill
}
case $(complete -p waybill) in *' _waybill '*) answer=yes ;; *) answer=no ;; esac
builtin printf '\\nwaybill: %s\\n' "$answer"`;

const zshQuestion = `unset HISTFILE
(( \${+_comps[waybill]} )) && answer=yes || answer=no
builtin printf '\\nwaybill: %s\\n' "$answer"`;

/** Why a new shell does not load the installed script, and the fix. */
export interface LoadingProblem {
  why: string;
  remedy: string;
}

/** Why a new shell does not load the script; null if it does, or if that is unknown. */
export function loadingProblem(
  shell: Shell,
  { settings }: InstallPlace,
  loading: Loading,
  host: Asking,
): LoadingProblem | null {
  if (settings === null) return null;
  const { file, lines } = settings;
  if (loading.interactive === false) {
    return {
      why: `a new ${shell} does not load it`,
      remedy: `It does not read ${file} to its end. Add to a file that it reads: ${lines.join('; ')}`,
    };
  }
  if (loading.login !== false) return null;
  const start = loginFile(host);
  return {
    why: 'a bash login shell does not load it',
    remedy: `A login shell reads ${start}, not ${file}. Add to it: [ -f ~/.bashrc ] && . ~/.bashrc`,
  };
}

/** The first existing file of those that a login bash reads. */
function loginFile({ home }: Asking): string {
  const files = ['.bash_profile', '.bash_login', '.profile'].map((name) => posix.join(home, name));
  const isThere = (file: string) => statSync(file, { throwIfNoEntry: false }) !== undefined;
  return files.find(isThere) ?? posix.join(home, '.bash_profile');
}
