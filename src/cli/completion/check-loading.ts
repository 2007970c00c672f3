import { statSync } from 'node:fs';
import { posix } from 'node:path';
import type { Host } from '../kit/host/host.ts';
import type { InstallPlace } from './install-location.ts';
import type { Shell } from './scripts/words.ts';

type Asking = Pick<Host, 'environment' | 'platform' | 'home' | 'shell' | 'signal'>;

/** Whether a new shell completes waybill, as it says itself; null where it was not asked, or gave no answer. */
export interface Loading {
  usual: boolean | null;
  login: boolean | null;
}

/**
 * Asks a new shell, which reads its settings for it. Neither fish nor PowerShell is asked: the one always looks into the
 * folder of its own, the other is slow to start.
 */
export async function loadingOf(shell: Shell, host: Asking): Promise<Loading> {
  if (host.platform === 'win32' || (shell !== 'bash' && shell !== 'zsh')) return { usual: null, login: null };
  const question = shell === 'bash' ? bashQuestion : zshQuestion;
  const [usual, login] = await Promise.all(
    // Each zsh reads the same settings, at login too.
    (shell === 'bash' ? ['-ic', '-lic'] : ['-ic']).map((flags) => asked([shell, flags, question], host)),
  );
  return { usual: usual ?? null, login: login ?? null };
}

async function asked(
  [shell, ...words]: readonly [Shell, ...string[]],
  { environment, shell: run, signal }: Asking,
): Promise<boolean | null> {
  const { SHELL = '' } = environment;
  // The one that somebody works in may not be the first on the path.
  const program = posix.basename(SHELL) === shell ? SHELL : shell;
  const text = await run([program, ...words], signal);
  const answer = /^waybill: (yes|no)$/m.exec(text ?? '')?.[1];
  return answer === undefined ? null : answer === 'yes';
}

/** What is put into the package bash-completion is only loaded at the first Tab: so that is what is done here. */
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

/** Why a new shell does not have what is in its place, and what to do about it. */
export interface Lack {
  why: string;
  remedy: string;
}

/** Null where it has it, or nobody knows. */
export function lackOf(
  shell: Shell,
  { settings }: InstallPlace,
  loading: Loading,
  host: Asking,
): Lack | null {
  if (settings === null) return null;
  const { file, lines } = settings;
  if (loading.usual === false) {
    return {
      why: `a new ${shell} does not load it`,
      remedy: `${file} is not read, or not to its end. Put where one is sure to come: ${lines.join('; ')}`,
    };
  }
  if (loading.login !== false) return null;
  const start = loginFile(host);
  return {
    why: 'a new bash loads it, but a login shell does not',
    remedy: `That reads ${start}, and does not come to ${file}. Put there: [ -f ~/.bashrc ] && . ~/.bashrc`,
  };
}

/** What a bash at login reads: the first of these that there is. */
function loginFile({ home }: Asking): string {
  const files = ['.bash_profile', '.bash_login', '.profile'].map((name) => posix.join(home, name));
  const isThere = (file: string) => statSync(file, { throwIfNoEntry: false }) !== undefined;
  return files.find(isThere) ?? posix.join(home, '.bash_profile');
}
