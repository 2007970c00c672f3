/** Shows on stderr that a command waits because the embedded service does due work before it responds. */
import type { Transport } from '../../contract/operation.ts';
import type { Host } from '../kit/host/host.ts';
import type { Progress } from '../kit/output/progress.ts';

/** The wait after which it is explained. */
const shown_after_ms = 1000;

/** The time within which a request is answered if there is no due work. */
const quick_ms = 250;

/** Wraps a transport so that a long wait is shown. The times of consecutive slow requests are added up. */
export function showingDueWork(
  transport: Transport,
  { host, show }: { host: Pick<Host, 'now' | 'timer'>; show(): Promise<Progress> },
): Transport {
  let slowSince: number | null = null;
  return async (request) => {
    const started_at = host.now();
    let shown: Promise<Progress> | null = null;
    const remaining_ms = (slowSince ?? started_at) + shown_after_ms - started_at;
    const cancel = host.timer(Math.max(quick_ms, remaining_ms), () => {
      shown = show();
    });
    try {
      return await transport(request);
    } finally {
      cancel();
      await stop(shown);
      slowSince = host.now() - started_at <= quick_ms ? null : (slowSince ?? started_at);
    }
  };
}

/** Ends what is shown. A failure to show it is ignored. */
async function stop(shown: Promise<Progress> | null): Promise<void> {
  (await shown?.catch(() => null))?.stop();
}
