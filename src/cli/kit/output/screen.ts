import type { Host, Sink } from '../host/host.ts';
import { ownVariable } from '../product.ts';
import type { Result } from '../result/result.ts';
import { isPlainPlace, type OutputSettings } from './format.ts';
import { linking } from './links.ts';
import { pagerWords, throughPager } from './paging.ts';

type Screen = Pick<Host, 'stdout' | 'environment' | 'pager'>;

/** Writes what people read: with links where they are shown, by way of a pager where it does not grow. */
export async function onScreen(
  kind: Result['kind'],
  { links, pages }: Pick<OutputSettings, 'links' | 'pages'>,
  { stdout, environment, pager }: Screen,
  work: (stdout: Sink) => Promise<void>,
): Promise<void> {
  const screen = links ? linking(stdout) : stdout;
  const words = pages && kind !== 'stream' ? pagerWords(environment) : null;
  if (words === null) return work(screen);
  return throughPager(screen, () => pager(words), work);
}

/** Writes text for which no command ran, as the flags of its line say. */
export async function textOnScreen(
  text: string,
  texts: ReadonlyMap<string, unknown>,
  host: Screen,
): Promise<void> {
  const { environment } = host;
  const variables = [
    environment.ACCESSIBLE,
    ownVariable(environment, 'ACCESSIBLE'),
    ownVariable(environment, 'NO_PAGER'),
  ];
  const isSaid = variables.some((word = '') => word !== '' && word !== '0');
  const isTyped = texts.has('noPager') || texts.has('accessible');
  const pages = !isSaid && !isTyped && !isPlainPlace(host);
  await onScreen('text', { links: false, pages }, host, (stdout) => stdout.write(text));
}
