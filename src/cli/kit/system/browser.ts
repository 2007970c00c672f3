import { spawn } from 'node:child_process';
import { childEnvironment } from './child-processes.ts';

/** The program that opens a URL on each platform, run without a shell. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a URL in the user's browser, which outlives this process; false if none could be started. */
export function openBrowser(url: URL, platform: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return Promise.resolve(false);
  const [program, ...words] = openers[platform] ?? ['xdg-open'];
  const child = spawn(program, [...words, url.href], {
    detached: true,
    stdio: 'ignore',
    env: childEnvironment(environment),
  });
  child.unref();
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}
