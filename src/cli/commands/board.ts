import { parseBaseUrl, urlPrefix } from '../../client/addresses.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { once } from '../kit/once.ts';
import { streamFormats, streamResult } from '../kit/result/result.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { openPage, serveLocally } from './serve/run-server.ts';

export const board = defineCommand({
  name: 'board',
  summary: "Show the dispatcher's board: what needs a person, all deliveries, drivers and a map",
  description: [
    'Prints the link of a page that follows all deliveries live: what needs a person first, drivers with their stops',
    'in order, a map, and the search of this program. In it deliveries are handed over, reported, tried again and',
    'canceled. At a served service the page asks for an API key. For the embedded service the page is served on this',
    'machine only, until Ctrl+C, with a key in the link that works until then.',
  ].join('\n'),
  flags: { open: switchFlag({ summary: 'Open it in the browser' }) },
  examples: [
    { command: 'waybill board', summary: 'Print its link' },
    { command: 'waybill board --open', summary: 'Open it in the browser' },
  ],
  effect: 'read',
  formats: streamFormats,
  calls: ['drivers.list', 'keys.create', 'keys.revoke'],
  answers: ({ lines, object }) => [lines(object({ type: '"ready"', url: 'string' }))],
  related: ['today', 'drivers list', 'deliveries assign'],
  async run(context, { flags }) {
    return streamResult(serveBoard(context, flags.open), ({ url }: Ready) => url);
  },
});

/** The output of `board` when the page is available. */
interface Ready {
  type: 'ready';
  /** The address of the page; for the embedded service with the key after `#key=`. */
  url: string;
}

/** Prints one line; on the embedded service it then runs until a signal. */
async function* serveBoard(context: Context, opens: boolean): AsyncGenerator<Ready> {
  const { target } = context.settings;
  const client = await context.client();
  if (target.kind === 'http') {
    // Only a service with drivers has a board.
    await client.drivers.list({ query: { limit: 1 } });
    const url = `${urlPrefix(parseBaseUrl(target.baseUrl))}/board`;
    yield { type: 'ready', url };
    context.note('The page asks for an API key with the permission to write.');
    if (opens) await openPage(context, url);
    return;
  }
  const { data: key } = await client.keys.create({ body: { permission: 'write', name: 'Board' } });
  const revoke = once(async () => void (await client.keys.revoke({ params: { key_id: key.id } })));
  context.onStop(revoke);
  try {
    for await (const server of serveLocally(context, target.file)) {
      const url = `${server.url}/board#key=${key.key}`;
      context.setInterruptionText('The board is no longer served. Deliveries continue.');
      yield { type: 'ready', url };
      context.note('Serving on this machine only. Press Ctrl+C to stop.');
      if (opens) await openPage(context, url);
    }
  } finally {
    await revoke();
  }
}
