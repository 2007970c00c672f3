import { posix, win32 } from 'node:path';
import type { Host } from '../kit/host/host.ts';
import { quoted } from '../kit/result/shell-words.ts';
import { type Shell, scriptNames } from './scripts/words.ts';

type Home = Pick<Host, 'environment' | 'platform' | 'home'>;

/** Settings of a shell that name the script. */
export interface Naming {
  file: string;
  lines: readonly string[];
  /** Needed only where the shell does not find the script by itself. */
  isOptional: boolean;
}

/** Where the script of a shell lies for one person, and the settings that name it, where the shell does not look. */
export interface InstallPlace {
  script: string;
  settings: Naming | null;
}

/** The shell that somebody works in; null where it cannot be told, or is another. */
export function usualShell({ environment, platform }: Home): Shell | null {
  const name = /([^/\\]+?)(?:\.exe)?$/.exec(environment.SHELL ?? '')?.[1] ?? '';
  if (name === 'pwsh') return 'powershell';
  if (name === 'bash' || name === 'zsh' || name === 'fish') return name;
  return name === '' && platform === 'win32' ? 'powershell' : null;
}

/** The place of a shell's script. */
export function installPlace(shell: Shell, home: Home): InstallPlace {
  const { environment } = home;
  const { join } = home.platform === 'win32' ? win32 : posix;
  const data = environment.XDG_DATA_HOME || join(home.home, '.local', 'share');
  const config = environment.XDG_CONFIG_HOME || join(home.home, '.config');
  switch (shell) {
    case 'bash': {
      // Where the package bash-completion looks, if it is there and loaded.
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
 * Whether completion was set up before these lines or not. The folder comes after it: a folder that others can write to
 * would be left out, and without -i each new shell would ask about such.
 */
function zshLines(folder: string): string[] {
  return [
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }',
    `fpath=(${quoted(folder)} $fpath)`,
    'autoload -Uz _waybill && compdef _waybill waybill',
  ];
}
