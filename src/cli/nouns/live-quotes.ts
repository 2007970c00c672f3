/** The table of quotes that a terminal redraws each second, with the time that each of them has left. */
import type { RouteQuotes } from '../../contract/routes.ts';
import { second_ms } from '../../domain/durations.ts';
import type { Sink } from '../kit/host/host.ts';
import { isRedrawn } from '../kit/output/progress.ts';
import { lengthText } from '../kit/output/times.ts';
import { writeList } from '../kit/output/write-result.ts';
import { isForPeople, listResult } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { quoteColumns, usableQuotes } from './quote-columns.ts';

const endingKeys: readonly string[] = ['q', 'Q', '\r', '\n'];

/** Whether a table of quotes can be redrawn: a person is at a terminal that can erase lines. */
export function canRedraw({ host, output, interactive }: Context): boolean {
  const { format, quiet } = output;
  return interactive && isForPeople(format) && !quiet && host.stdout.isTerminal && isRedrawn(host, output);
}

/** Redraws the quotes each second, with the time left of each, until a key is pressed or all have expired. */
export async function showLiveQuotes(
  context: Context,
  quotes: RouteQuotes,
  { started_at, zone, end_at }: { started_at: number; zone: string | null; end_at: number },
): Promise<void> {
  const { host } = context;
  const ended = Promise.withResolvers<void>();
  let isOver = false;
  const end = () => {
    isOver = true;
    ended.resolve();
  };
  const restore = await host.onKeys((key) => {
    if (endingKeys.includes(key)) end();
  });
  context.onStop(async () => restore());
  const spinner = await host.spinner('');
  try {
    while (!isOver && context.now() < end_at && usableQuotes(quotes, context.serviceNow()).length > 0) {
      const elapsed = lengthText(context.now() - started_at);
      const table = await tableOf(context, quotes, zone);
      spinner.text = `Quotes after ${elapsed}. Press q to end.\n${table.trimEnd()}`;
      await Promise.race([context.sleep(second_ms), ended.promise]);
    }
  } finally {
    spinner.stop();
    restore();
  }
}

async function tableOf(context: Context, { data }: RouteQuotes, zone: string | null): Promise<string> {
  const { output, serviceNow, host } = context;
  let text = '';
  const stdout: Sink = {
    ...host.stderr,
    write: async (part) => {
      text += part;
    },
  };
  const surface = { settings: output, serviceNow, isWrite: false, leftOut: () => {}, filter: null, stdout };
  await writeList(listResult({ data: data ?? [], columns: quoteColumns(serviceNow(), zone) }), surface);
  return text;
}
