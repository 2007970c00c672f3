import type { RouteQuotes } from '../../../contract/quotes.ts';
import { rankQuotes } from '../../../domain/quotes.ts';
import type { Sink } from '../../kit/host/host.ts';
import { renderList } from '../../kit/output/list-writer.ts';
import { isRedrawn } from '../../kit/output/progress.ts';
import { lengthText } from '../../kit/output/times.ts';
import { list } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { quoteColumns } from './quote-columns.ts';
import { comparable, usableQuotes } from './quotes.ts';

const second_ms = 1000;
const endingKeys: readonly string[] = ['q', 'Q', '\r', '\n'];

/** Whether a table of quotes can be redrawn: a person is at a terminal that can erase lines. */
export function canRedraw({ host, output, interactive }: Context): boolean {
  const { format, quiet } = output;
  const isTable = format === 'table' || format === 'wide';
  return interactive && isTable && !quiet && host.stdout.isTerminal && isRedrawn(host, output);
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
  const restore = await host.keys((key) => {
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
  const ranked = rankQuotes((data ?? []).map(comparable)).map(({ quote }) => quote);
  const surface = { settings: output, serviceNow, isWrite: false, leftOut: () => {}, shape: null, stdout };
  await renderList(list({ data: ranked, columns: quoteColumns(serviceNow(), zone) }), surface);
  return text;
}
