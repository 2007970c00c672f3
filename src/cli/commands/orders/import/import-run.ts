import type { OrderSettings } from '../../../../contract/orders.ts';
import type { Context } from '../../../session/command.ts';
import type { OrderCheck } from './check-order.ts';
import type { Header } from './journal-entries.ts';
import type { Source } from './source.ts';
import type { ImportWait } from './wait-for-batches.ts';

/** The options of an import. */
export interface ImportRequest {
  source: Source;
  /** Null: manual dispatch. */
  settings: OrderSettings | null;
  simulation: string | null;
  concurrency: number;
  validateOnly: boolean;
  resume: boolean;
  restart: boolean;
  /** Whether to wait until every batch is complete, and how; null: do not wait. */
  wait: Pick<ImportWait, 'fail_on' | 'timeout_ms' | 'interval_ms'> | null;
}

/** An import into an account. */
export interface ImportRun extends ImportRequest {
  destination: Destination;
  check: OrderCheck;
}

export type Destination = Header['place'];

export function destinationOf(
  { settings }: Context,
  account: { account_id: string; test_mode: boolean },
): Destination {
  const { name, target } = settings;
  return {
    profile: name,
    service: target.kind === 'embedded' ? target.file : target.baseUrl,
    mode: account.test_mode ? 'test' : 'live',
    account_id: account.account_id,
  };
}
