import { flag } from '../kit/args/flags.ts';
import { streamFormats } from '../kit/output/formats.ts';
import { stream } from '../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../session/command.ts';
import { deliveryWord, findDelivery } from './deliveries/find-delivery.ts';
import { isLocalLink, trackingHost } from './deliveries/tracking-link.ts';

export const track = defineCommand({
  name: 'track',
  summary: "Show the recipient's tracking page of a delivery",
  description: [
    'Prints the link of the tracking page. For the embedded service the page is served on this machine only, until',
    'Ctrl+C.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { open: flag({ summary: 'Open it in the browser' }) },
  examples: [
    { command: 'waybill track DELIVERY', summary: 'Print its link' },
    { command: 'waybill track "#1042" --open', summary: 'Open it in the browser' },
  ],
  effect: 'read',
  formats: streamFormats,
  async run(context, { flags, positionals }) {
    const { tracking_url } = await findDelivery(context, positionals.delivery);
    return stream(tracking(context, tracking_url, flags.open), ({ url }) => url);
  },
});

/** What `track` says when the page can be opened. */
interface Ready {
  type: 'ready';
  /** Where it is now. */
  url: string;
  /** Where the delivery says that it is; the two differ where another port had to do, or it is reached from outside. */
  tracking_url: string;
}

/** One line; on the embedded service it then lasts until the process is told to stop. */
async function* tracking(context: Context, tracking_url: string, isOpened: boolean): AsyncGenerator<Ready> {
  const { target } = context.settings;
  if (target.kind === 'http') {
    yield { type: 'ready', url: tracking_url, tracking_url };
    if (isOpened) await open(context, tracking_url);
    return;
  }
  const { serving } = await import('./serve.ts');
  for await (const server of serving(context, { ...here, database: target.file })) {
    const url = server.url + tracking_url.slice(tracking_url.lastIndexOf('/track/'));
    context.standing('The page is no longer served. The delivery continues.');
    yield { type: 'ready', url, tracking_url };
    if (!context.output.json) {
      if (url !== tracking_url && isLocalLink(tracking_url)) context.note(movedText(tracking_url));
      context.note('Serving on this machine only. Press Ctrl+C to stop.');
    }
    if (isOpened) await open(context, url);
  }
}

/** How the embedded service is served. */
const here = {
  ...trackingHost,
  otherPort: true,
  publicUrl: undefined,
  sandbox: true,
  seed: undefined,
  logged: false,
} as const;

/** What is told where the page is not where the record says; with JSON both addresses are in the line. */
function movedText(tracking_url: string): string {
  const why = `Another program uses port ${here.port}, so the record's tracking_url does not work`;
  return `${why} (${tracking_url}): use the address above while this command runs.`;
}

/** A link comes from the service: only an address of the web is given to the browser. */
async function open({ host, warn }: Context, link: string): Promise<void> {
  const { openBrowser } = await import('../kit/system/browser.ts');
  const url = URL.parse(link);
  const isOpen = url !== null && (await openBrowser(url, host.platform, host.environment));
  if (!isOpen) warn('Could not open a browser. Open the address yourself.');
}
