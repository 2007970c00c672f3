import type { getHealth } from '../contract/description.ts';
import { firstAccount } from '../storage/accounts.ts';
import type { Handler } from './endpoint.ts';
import { instant } from './times.ts';

export const health: Handler<typeof getHealth> = async ({ service, now }) => {
  await service.storage.run(firstAccount);
  return { status: 'ok', service_time: instant(now) };
};
