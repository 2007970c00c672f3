import type { RequestLog } from '../../contract/wire.ts';
import type { Observe } from '../runtime/observations.ts';
import type { Measured } from './measured.ts';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';
import { createMetrics } from './registry.ts';

export interface MetricsPlace {
  host: string;
  /** 0 selects a free port. */
  port: number;
}

export interface RunningMetrics extends MetricsServer {
  observe: Observe;
  observeRequest: (line: Extract<RequestLog, { type: 'request' }>) => void;
}

/** Counts what the service observes and serves it until it is closed. */
export async function startMetrics(
  place: MetricsPlace,
  measure: () => Promise<Measured>,
  onFault: (fault: unknown, request_id: string | null) => void,
): Promise<RunningMetrics> {
  const metrics = createMetrics(measure);
  const served = await serveMetrics(metrics, place, (fault) => onFault(fault, null));
  return {
    ...served,
    observe: metrics.observe,
    observeRequest: ({ operation, status, duration_ms }) => {
      metrics.observe({
        ...{ type: 'request', operation: operation ?? 'unknown', status, seconds: duration_ms / 1_000 },
      });
    },
  };
}
