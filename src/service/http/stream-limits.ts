/**
 * Limits how many event streams are open, in all and for each account and address: a stream keeps its connection, and
 * without limits one key could take all of them.
 */
import type { Scope } from '../../storage/database.ts';
import { createCounts } from '../runtime/counts.ts';
import { Refusal, RetryLater } from './answers.ts';

/** How many connections may be streams: a quarter is left for requests and probes. */
export function maxStreamsOf({ max_connections }: { max_connections: number }): number {
  return Math.ceil(max_connections * 0.75);
}

const max_account_streams = 20;
const max_address_streams = 10;
/** When to try again while the streams of all accounts are too many. */
const retry_after_seconds = 10;

/** Counts a stream as open; returns the function that ends it. Throws if a limit is reached. */
export type TakeStream = (scope: Scope, client_address: string) => () => void;

/** A client that was refused does not keep its connection either. */
const closing = { connection: 'close' };

export function createStreamLimits(max_streams: number): TakeStream {
  const open = createCounts();
  return ({ account_id, test_mode }, client_address) => {
    const account = `account ${account_id} ${test_mode}`;
    const address = `address ${client_address}`;
    if (open.of(account) >= max_account_streams) {
      const mode = test_mode === 1 ? 'test' : 'live';
      throw limitReached(
        `This account has ${max_account_streams} event streams open in ${mode} mode, the maximum.`,
      );
    }
    if (open.of(address) >= max_address_streams) {
      throw limitReached(
        `The address ${client_address} has ${max_address_streams} event streams open, the maximum.`,
      );
    }
    if (open.of('all') >= max_streams) {
      const message = `The service has ${max_streams} event streams open, the maximum. Retry in a moment.`;
      throw new RetryLater('overloaded', message, retry_after_seconds, closing);
    }
    const names = ['all', account, address];
    for (const name of names) open.add(name, 1);
    let isOpen = true;
    return () => {
      if (isOpen) for (const name of names) open.add(name, -1);
      isOpen = false;
    };
  };
}

function limitReached(limit: string): Refusal {
  const message = `${limit} Close one, or read GET /v2/events from time to time.`;
  return new Refusal('limit_reached', message, closing);
}
