import type { Transport } from '../../contract/wire.ts';
import type { Host } from '../kit/host/host.ts';
import type { Progress } from '../kit/output/progress.ts';

/** So long nobody wonders. */
const unseen_ms = 1000;
/** A request that took no longer had nothing to catch up with. */
const quick_ms = 250;

/**
 * Lets a wait be seen for the service in this process, which does what became due before it answers. Of requests that
 * are slow one after the other the time counts together.
 */
export function visiblyCatchingUp(
  transport: Transport,
  { host, show }: { host: Pick<Host, 'now' | 'timer'>; show(): Promise<Progress> },
): Transport {
  let slowSince: number | null = null;
  return async (request) => {
    const begun = host.now();
    let shown: Promise<Progress> | null = null;
    const left = (slowSince ?? begun) + unseen_ms - begun;
    const cancel = host.timer(Math.max(quick_ms, left), () => {
      shown = show();
    });
    try {
      return await transport(request);
    } finally {
      cancel();
      (await settled(shown))?.stop();
      slowSince = host.now() - begun <= quick_ms ? null : (slowSince ?? begun);
    }
  };
}

/** What cannot be shown is not missed. */
async function settled(shown: Promise<Progress> | null): Promise<Progress | undefined> {
  return shown === null ? undefined : shown.catch(() => undefined);
}
