import { trackingHost } from '../../nouns/delivery.ts';
import type { Context } from '../../session/command.ts';

/** The server options for the pages of the embedded service, which only its own user reaches. */
const localServer = {
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
  const { openBrowser } = await import('../../kit/system/programs.ts');
  const url = URL.parse(link);
  const isOpen = url !== null && (await openBrowser(url, host.platform, host.environment));
  if (!isOpen) warn('Could not open a browser. Open the address yourself.');
}
