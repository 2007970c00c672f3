import type { RequestLog } from '../../contract/operation.ts';
import type { Observe } from '../runtime/observations.ts';
import type { Measured } from './measured.ts';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';
import { createMetrics } from './registry.ts';

export interface MetricsPlace {
  host: string;
  /** 0 selects a free port. */
  port: number;
}

export interface ServiceMetrics {
  observe: Observe;
  observeRequest: (line: Extract<RequestLog, { type: 'request' }>) => void;
  /** Serves them until the server is closed. Without a place nothing is served. */
  serve: (
    place: MetricsPlace | undefined,
    onFault: (fault: unknown, request_id: string | null) => void,
  ) => Promise<MetricsServer | null>;
}

/** Counts what the service observes. */
export function createServiceMetrics(measure: () => Promise<Measured>): ServiceMetrics {
  const metrics = createMetrics(measure);
  return {
    observe: metrics.observe,
    observeRequest: ({ operation, status, duration_ms }) => {
      const seconds = duration_ms / 1_000;
      metrics.observe({ type: 'request', operation: operation ?? 'unknown', status, seconds });
    },
    serve: async (place, onFault) =>
      place === undefined ? null : serveMetrics(metrics, place, (fault) => onFault(fault, null)),
  };
}
