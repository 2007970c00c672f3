import type { getDescription } from '../../contract/description.ts';
import type { Handler } from './handler.ts';

export const describe: Handler<typeof getDescription> = async ({ service }) => {
  const { describeInterface } = await import('../../contract/openapi.ts');
  return describeInterface(isWildcard(service.publicUrl) ? '/' : service.publicUrl);
};

/** Whether the service listens on all addresses. The server is then given relative to the document. */
function isWildcard(url: string): boolean {
  return ['0.0.0.0', '[::]'].includes(URL.parse(url)?.hostname ?? '');
}
