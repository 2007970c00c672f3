import { posix, win32 } from 'node:path';
import type { Host } from '../kit/host/host.ts';
import { quoted } from '../kit/result/shell-words.ts';
import { type Shell, scriptNames } from './scripts/words.ts';

type Home = Pick<Host, 'environment' | 'platform' | 'home'>;

/** Shell settings that load the script. */
export interface ShellSettings {
  file: string;
  lines: readonly string[];
  /** True if only needed when the shell does not find the script itself. */
  isOptional: boolean;
}

/** The location of a shell's script for this user, and the settings that load it, if needed. */
export interface InstallPlace {
  script: string;
  settings: ShellSettings | null;
}

/** The user's shell; null if it is unknown or unsupported. */
export function userShell({ environment, platform }: Home): Shell | null {
  const name = /([^/\\]+?)(?:\.exe)?$/.exec(environment.SHELL ?? '')?.[1] ?? '';
  if (name === 'pwsh') return 'powershell';
  if (name === 'bash' || name === 'zsh' || name === 'fish') return name;
  return name === '' && platform === 'win32' ? 'powershell' : null;
}

/** Returns where a shell's script is installed. */
export function installPlace(shell: Shell, home: Home): InstallPlace {
  const { environment } = home;
  const { join } = home.platform === 'win32' ? win32 : posix;
  const data = environment.XDG_DATA_HOME || join(home.home, '.local', 'share');
  const config = environment.XDG_CONFIG_HOME || join(home.home, '.config');
  switch (shell) {
    case 'bash': {
      // The folder of the package bash-completion, if that is installed and loaded.
      const script = join(data, 'bash-completion', 'completions', 'waybill');
      const lines = [`if [[ -r ${quoted(script)} ]]; then . ${quoted(script)}; fi`];
      return { script, settings: { file: join(home.home, '.bashrc'), lines, isOptional: true } };
    }
    case 'zsh': {
      const folder = join(data, 'zsh', 'site-functions');
      const file = join(environment.ZDOTDIR || home.home, '.zshrc');
      const script = join(folder, scriptNames.zsh);
      return { script, settings: { file, lines: zshLines(folder), isOptional: false } };
    }
    case 'fish':
      return { script: join(config, 'fish', 'completions', scriptNames.fish), settings: null };
    case 'powershell': {
      const windows = join(home.home, 'Documents', 'PowerShell');
      const folder = home.platform === 'win32' ? windows : join(config, 'powershell');
      const script = join(folder, scriptNames.powershell);
      const lines = [`. '${script.replaceAll("'", "''")}'`];
      const file = join(folder, 'Microsoft.PowerShell_profile.ps1');
      return { script, settings: { file, lines, isOptional: false } };
    }
  }
}

/**
 * Works whether completion was initialized before these lines or not. The folder is added afterwards: zsh leaves out a
 * folder that others can write to, and without -i it would ask about it in each new shell.
 */
function zshLines(folder: string): string[] {
  return [
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }',
    `fpath=(${quoted(folder)} $fpath)`,
    'autoload -Uz _waybill && compdef _waybill waybill',
  ];
}
