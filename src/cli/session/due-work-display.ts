/** Shows that a command waits because the embedded service does due work before it responds. */
import type { Transport } from '../../contract/operation.ts';
import type { Host } from '../kit/host/host.ts';
import type { Progress } from '../kit/output/progress.ts';

/** A shorter wait needs no explanation. */
const shown_after_ms = 1000;

/** A faster request had no due work. */
const quick_ms = 250;

/**
 * Shows a wait while the embedded service does due work before it responds. The times of consecutive slow requests are
 * added up.
 */
export function showingDueWork(
  transport: Transport,
  { host, show }: { host: Pick<Host, 'now' | 'timer'>; show(): Promise<Progress> },
): Transport {
  let slowSince: number | null = null;
  return async (request) => {
    const started_at = host.now();
    let shown: Promise<Progress> | null = null;
    const left = (slowSince ?? started_at) + shown_after_ms - started_at;
    const cancel = host.timer(Math.max(quick_ms, left), () => {
      shown = show();
    });
    try {
      return await transport(request);
    } finally {
      cancel();
      (await settle(shown))?.stop();
      slowSince = host.now() - started_at <= quick_ms ? null : (slowSince ?? started_at);
    }
  };
}

/** A failure to show it is ignored. */
async function settle(shown: Promise<Progress> | null): Promise<Progress | undefined> {
  return shown === null ? undefined : shown.catch(() => undefined);
}
