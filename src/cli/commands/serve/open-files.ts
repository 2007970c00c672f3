import { readFileSync } from 'node:fs';
import { defaultLimits, type HttpLimits } from '../../../domain/operator-settings.ts';

/** How many files and connections the system lets this process open; null where it does not say. */
function maxOpenFiles(): number | null {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/**
 * Leaves half of what the process may open to its database, couriers and webhooks. Beyond the limit of the system, new
 * connections would be reset without a word, those of health checks too.
 */
export function fitOpenFiles(limits: Partial<HttpLimits> = {}): {
  limits: Partial<HttpLimits>;
  warning: string | null;
} {
  const { max_connections } = { ...defaultLimits, ...limits };
  const max_files = maxOpenFiles() ?? Number.POSITIVE_INFINITY;
  const room = Math.max(1, Math.floor(max_files / 2));
  if (max_connections <= room) return { limits, warning: null };
  return {
    limits: { ...limits, max_connections: room },
    warning: `This process may open ${max_files} files, so it takes ${room} connections instead of ${max_connections}. Raise the limit: ulimit -n, or LimitNOFILE= of a systemd unit.`,
  };
}
