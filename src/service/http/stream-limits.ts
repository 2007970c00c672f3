import type { Scope } from '../../storage/database.ts';
import { Refusal, RetryLater } from './answers.ts';

/** How many of the connections may be streams: the others are for requests and probes. */
export function maxStreamsOf({ max_connections }: { max_connections: number }): number {
  return Math.ceil(max_connections * 0.75);
}

const max_of_account = 20;
const max_of_address = 10;
/** When to try again while the streams of all accounts are too many. */
const retry_after_seconds = 10;

/** Takes the place of a stream over HTTP; returns the function that gives it back. Throws if there is none. */
export type TakeStream = (scope: Scope, client_address: string) => () => void;

/** A stream keeps its connection: without limits one key could take all of them. */
export function createStreamLimits(max_streams: number): TakeStream {
  const open = new Map<string, number>();
  let total = 0;
  const add = (names: readonly string[], count: 1 | -1) => {
    total += count;
    for (const name of names) {
      const sum = (open.get(name) ?? 0) + count;
      if (sum === 0) open.delete(name);
      else open.set(name, sum);
    }
  };
  return ({ account_id, test_mode }, client_address) => {
    const account = `account ${account_id} ${test_mode}`;
    const address = `address ${client_address}`;
    if ((open.get(account) ?? 0) >= max_of_account) {
      const mode = test_mode === 1 ? 'test' : 'live';
      throw limitReached(
        `This account has ${max_of_account} event streams open in ${mode} mode, the maximum.`,
      );
    }
    if ((open.get(address) ?? 0) >= max_of_address) {
      throw limitReached(
        `The address ${client_address} has ${max_of_address} event streams open, the maximum.`,
      );
    }
    if (total >= max_streams) {
      const message = `The service has ${max_streams} event streams open, the maximum. Retry in a moment.`;
      throw new RetryLater('overloaded', message, retry_after_seconds, closing);
    }
    add([account, address], 1);
    let isOpen = true;
    return () => {
      if (isOpen) add([account, address], -1);
      isOpen = false;
    };
  };
}

/** A client that was refused does not keep its connection either. */
const closing = { connection: 'close' };

function limitReached(limit: string): Refusal {
  const message = `${limit} Close one, or read GET /v2/events from time to time.`;
  return new Refusal('limit_reached', message, closing);
}
