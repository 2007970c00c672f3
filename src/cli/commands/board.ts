/** `board`: the dispatcher's board; that of the embedded service is served with a key that ends with the command. */
import { parseBaseUrl, urlPrefix } from '../../client/addresses.ts';
import type { Client } from '../../client/client.ts';
import { records } from '../../client/pages.ts';
import { day_ms } from '../../domain/durations.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { once } from '../kit/once.ts';
import { streamFormats, streamResult } from '../kit/result/result.ts';
import { isRunning } from '../kit/system/programs.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { openPage, type ServeOptions, serveLocally } from './serve/run-server.ts';

export const board = defineCommand({
  name: 'board',
  summary: "Show the dispatcher's board: what needs a person, all deliveries, drivers and a map",
  description: [
    'Prints the link of a page that follows all deliveries live: what needs a person first, drivers with their stops',
    'in order, a map, and the search of this program. In it deliveries are handed over, reported, tried again and',
    'canceled. At a served service the page asks for an API key. For the embedded service the page is served on this',
    'machine only, until Ctrl+C, with a key in the link that works until then, and for seven days at most.',
  ].join('\n'),
  flags: { open: switchFlag({ summary: 'Open it in the browser' }) },
  examples: [
    { command: 'waybill board', summary: 'Print its link' },
    { command: 'waybill board --open', summary: 'Open it in the browser' },
  ],
  effect: 'read',
  formats: streamFormats,
  calls: ['drivers.list', 'keys.create', 'keys.list', 'keys.revoke'],
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

/** How long the key of a board works, if the board is not ended: by a signal that no process can handle. */
const board_key_life_ms = 7 * day_ms;

function boardKeyName(pid: number): string {
  return `Board ${pid}`;
}

/** Revokes the keys of boards whose process is gone. */
async function revokeEndedBoards(client: Client): Promise<void> {
  for await (const { id, name, revoked_at } of records(client.keys.list, {})) {
    const [, pid] = /^Board (\d+)$/.exec(name) ?? [];
    if (pid === undefined || revoked_at !== null || isRunning(Number(pid))) continue;
    await client.keys.revoke({ params: { key_id: id } });
  }
}

/** A link that redirects to a page once; later requests get 404. */
async function oneTimeLink(
  { host }: Context,
  page: string,
): Promise<{ path: string; mount: NonNullable<ServeOptions['mount']> }> {
  const path = `/board/open/${(await host.randomBase64(24)).replace(/\W/g, '')}`;
  let isUsed = false;
  const mount: NonNullable<ServeOptions['mount']> = (fetch) => async (request) => {
    if (isUsed || request.method !== 'GET' || request.path !== path) return fetch(request);
    isUsed = true;
    const headers = { location: page, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
    return { status: 303, headers, body: '' };
  };
  return { path, mount };
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
  await revokeEndedBoards(client);
  const expires_at = new Date(context.now() + board_key_life_ms).toISOString();
  const name = boardKeyName(process.pid);
  const { data: key } = await client.keys.create({ body: { permission: 'write', name, expires_at } });
  const revoke = once(async () => void (await client.keys.revoke({ params: { key_id: key.id } })));
  context.onStop(revoke);
  const page = `/board#key=${key.key}`;
  const opening = await oneTimeLink(context, page);
  try {
    for await (const server of serveLocally(context, target.file, opening.mount)) {
      context.setInterruptionText('The board is no longer served. Deliveries continue.');
      yield { type: 'ready', url: `${server.url}${page}` };
      context.note('Serving on this machine only. Press Ctrl+C to stop.');
      // Every user of this machine can read the arguments of the program that opens it.
      if (opens) await openPage(context, `${server.url}${opening.path}`);
    }
  } finally {
    await revoke();
  }
}
