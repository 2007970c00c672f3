import { ApiError } from '../../../client/errors.ts';
import type { Fault } from '../../../contract/errors.ts';
import { reportOf } from '../../errors/error-report.ts';
import { Failure, type FailureDetails, type FlagFault } from '../../kit/errors/failure.ts';
import { phrase } from '../../kit/result/message.ts';

/** Determines how the fault of an order is named: by its position in a file, or by the flag that set it. */
export interface FaultNames {
  isFromFile: boolean;
  /** The fields and settings set by flags, by their names in the contract. */
  flagged: readonly string[];
}

/**
 * Rewrites the refusal of a request that starts at order `index`: its faults get their position in the input, or the
 * flag that set the field. Returns any other error unchanged.
 */
export function refusalOf(error: unknown, names: FaultNames, index: number): unknown {
  return replaced(error, names, (path) =>
    path.replace(/^orders\[(\d+)\]/, (_, at: string) => `orders[${Number(at) + index}]`),
  );
}

/** Does the same for a request that is itself one of several: `deliveries[2]`. */
export function refusalAt(error: unknown, names: FaultNames, at: string): unknown {
  return replaced(error, names, (path) => (path === '' ? at : `${at}.${path}`));
}

function replaced(error: unknown, names: FaultNames, place: (path: string) => string): unknown {
  if (!(error instanceof ApiError) || error.details.length === 0) return error;
  const { code, status, request_id, retry_after_ms, choices, related_ids, cause } = error;
  const details = error.details.map((fault) => faultAt({ ...fault, path: place(fault.path) }, names));
  const fields = { code, status, details, request_id, retry_after_ms, choices, related_ids };
  return new ApiError(error.message, fields, { cause });
}

const amounts: readonly string[] = ['order_value', 'tip', 'max_cost'];

function faultAt(fault: Fault, { isFromFile, flagged }: FaultNames): Fault | FlagFault {
  const { path, message } = fault;
  const field = /^(?:(?:orders|deliveries)\[\d+\]\.|settings\.)?(\w+)/.exec(path)?.[1] ?? '';
  if (!isFromFile || flagged.includes(field)) return fault;
  const unit = amounts.includes(field) ? '; it is whole cents here, 1250 for $12.50' : '';
  return { path, message: message + unit, flag: null } satisfies FlagFault;
}

/** Exit 10: some succeeded before one failed. The message covers the former, the error the latter. */
export function partlyDone(error: unknown, message: string, details: FailureDetails): Failure {
  const { code, message: reason } = reportOf(error);
  return new Failure(10, code, phrase`${message}\n${reason}`, { ...details, cause: error });
}
