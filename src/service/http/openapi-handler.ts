import type { getDescription } from '../../contract/description.ts';
import type { Handler } from './handler.ts';

export const describe: Handler<typeof getDescription> = async ({ service }) => {
  const { describeInterface } = await import('../../contract/openapi.ts');
  return describeInterface(service.publicUrl);
};
