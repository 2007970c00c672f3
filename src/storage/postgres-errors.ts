import { StorageUnavailable } from './errors.ts';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const conflictCodes = ['40001', '40P01'];
// Connection, authorization, invalid catalog, rollback, resources, object state, operator intervention (with
// time-outs), system, configuration file, internal.
const unavailableClasses = ['08', '28', '3D', '40', '53', '55', '57', '58', 'F0', 'XX'];
// A read-only transaction (a standby, or a server without disk space), an idle one, and one that took too long.
const unavailableCodes = ['25006', '25P03', '25P04'];
const diskFullCode = '53100';
const networkCode = /^(E[A-Z]{3,}|EAI_[A-Z]+)$/;
const networkMessage = /connection (terminated|ended)|connection error|not queryable|timeout exceeded/i;

/** A conflict between transactions: a retry may succeed. */
export function isConflict(error: unknown): boolean {
  return conflictCodes.includes(codeOf(error));
}

/** Converts server and connection errors to `StorageUnavailable`; returns all others unchanged. */
export function postgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageUnavailable) {
    return error;
  }
  const code = codeOf(error);
  const unavailable =
    unavailableClasses.includes(code.slice(0, 2)) ||
    unavailableCodes.includes(code) ||
    networkCode.test(code) ||
    networkMessage.test(error.message);
  if (!unavailable) return error;
  const reason = code === diskFullCode ? 'disk_full' : 'unreachable';
  return new StorageUnavailable(error.message || code, { cause: error, reason });
}

/** Whether a table does not exist. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return '';
}
