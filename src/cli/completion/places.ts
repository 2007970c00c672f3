import { posix, win32 } from 'node:path';
import { quoted } from '../exchange/exchanges.ts';
import type { Host } from '../host.ts';
import { type Shell, scriptNames } from './scripts.ts';

type Home = Pick<Host, 'environment' | 'platform' | 'home'>;

/** Where the script of a shell lies for one person, and the settings that must name it, where the shell does not look. */
export interface InstallPlace {
  script: string;
  settings: { file: string; lines: readonly string[] } | null;
  /** What is to be done after it. */
  next: string;
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
    case 'bash':
      return {
        script: join(data, 'bash-completion', 'completions', 'waybill'),
        settings: null,
        next: 'A new bash has it, where the package bash-completion is there. Without it, in .bashrc: source <(waybill completion bash)',
      };
    case 'zsh': {
      const folder = join(data, 'zsh', 'site-functions');
      const file = join(environment.ZDOTDIR || home.home, '.zshrc');
      const script = join(folder, scriptNames.zsh);
      return { script, settings: { file, lines: zshLines(folder) }, next: 'A new zsh has it: exec zsh' };
    }
    case 'fish':
      return {
        script: join(config, 'fish', 'completions', scriptNames.fish),
        settings: null,
        next: 'fish has it from the next key press on.',
      };
    case 'powershell': {
      const windows = join(home.home, 'Documents', 'PowerShell');
      const folder = home.platform === 'win32' ? windows : join(config, 'powershell');
      const script = join(folder, scriptNames.powershell);
      const lines = [`. '${script.replaceAll("'", "''")}'`];
      const file = join(folder, 'Microsoft.PowerShell_profile.ps1');
      return { script, settings: { file, lines }, next: 'A new PowerShell has it.' };
    }
  }
}

/** Whether completion was set up before these lines or not. */
function zshLines(folder: string): string[] {
  return [
    `fpath=(${quoted(folder)} $fpath)`,
    'if (( $+functions[compdef] )); then autoload -Uz _waybill && compdef _waybill waybill',
    'else autoload -Uz compinit && compinit; fi',
  ];
}
