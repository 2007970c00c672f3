import type { Context } from '../../session/command.ts';
import { trackingHost } from '../deliveries/tracking-link.ts';

/** The server options for the pages of the embedded service, which only its own user reaches. */
export const localServer = {
  ...trackingHost,
  otherPort: true,
  allowPrivateCouriers: true,
  publicUrl: undefined,
  sandbox: true,
  seed: undefined,
  logged: false,
} as const;

/** Serves the pages of the embedded service on this machine only, until a signal. */
export async function* servingHere(context: Context, database: string): AsyncGenerator<{ url: string }> {
  const { runServer } = await import('../serve.ts');
  yield* runServer(context, { ...localServer, database });
}

/** Opens a page in the browser. The link comes from the service: only HTTP URLs are passed on. */
export async function openPage({ host, warn }: Context, link: string): Promise<void> {
  const { openBrowser } = await import('../../kit/system/browser.ts');
  const url = URL.parse(link);
  const isOpen = url !== null && (await openBrowser(url, host.platform, host.environment));
  if (!isOpen) warn('Could not open a browser. Open the address yourself.');
}

interface Seat extends Pick<Context, 'interactive'> {
  host: Pick<Context['host'], 'environment' | 'platform'> & { stdout: { isTerminal: boolean } };
}

/**
 * Whether the user would see a browser window: prompts are possible, and the terminal is on a desktop of this machine.
 */
export function isOnDesktop({ host, interactive }: Seat): boolean {
  const { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = host.environment;
  if (!interactive || !host.stdout.isTerminal || SSH_CONNECTION) return false;
  return host.platform === 'darwin' || host.platform === 'win32' || Boolean(DISPLAY || WAYLAND_DISPLAY);
}
