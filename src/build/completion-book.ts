import { bookText } from '../cli/completion/pages.ts';
import { completionPages } from '../cli/completion/preparing.ts';
import { couriers } from '../providers/simulated/couriers.ts';

/** What completion knows of the command tree and of the providers of the sandbox, as the text that it reads. */
export async function completionBook(): Promise<string> {
  const providers = couriers.map(({ name }) => ({ value: name, about: 'simulated' }));
  return bookText(await completionPages(providers));
}
