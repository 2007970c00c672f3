import { completionPages } from '../cli/completion/build-index.ts';
import { indexText } from '../cli/completion/candidates.ts';
import { guideTopics, topics } from '../cli/help/topics.ts';
import { tree } from '../cli/tree.ts';
import { connectableCouriers } from '../providers/directory.ts';
import { couriers } from '../providers/simulated/couriers.ts';

/** The completion data: the command tree and the sandbox providers. */
export async function completionIndexText(): Promise<string> {
  const providers = couriers.map(({ name }) => ({ value: name, about: 'simulated' }));
  const adapters = await Promise.all(connectableCouriers.map(({ load }) => load()));
  const connectable = adapters.map(({ name, title }) => ({ value: name, about: title }));
  const pages = [...topics, ...guideTopics].map(({ name, summary }) => ({ value: name, about: summary }));
  return indexText(await completionPages(tree, { providers, couriers: connectable, topics: pages }));
}
