/** The shutdown of the HTTP server: it drains, and lets running requests finish. */
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { atMost, pause, type Timers } from '../runtime/time.ts';

/** The time that running requests have to finish. */
const grace_ms = 5_000;
/** The time after which requests that still wait are ended. */
const waiting_grace_ms = 2_000;
/** The most that a shutdown takes: containers are killed after ten seconds. */
const stop_timeout_ms = 9_000;
/** The time for the requests of connections accepted just before the listener closed. */
const last_requests_ms = 100;

/** The service behind the server. */
interface Stoppable {
  /** Ends all open streams, and those that are opened later. */
  endStreams: () => void;
  /** Stops the background work. */
  stop: () => Promise<void>;
}

/** How a server shuts down: it optionally drains, then it stops. */
interface Shutdown {
  /** Whether the shutdown has started. Each connection is then closed after its next response. */
  hasStarted: () => boolean;
  /** Ends streams, keeps accepting connections for a while, and then closes the listener. */
  drain: (service: Stoppable, ms: number) => Promise<void>;
  /** Lets running requests finish and stops the service; resolves within nine seconds in any case. */
  stop: (service: Stoppable) => Promise<void>;
}

export function createShutdown(http: Server, timers: Timers): Shutdown {
  let hasBegun = false;
  const begin = (service: Stoppable) => {
    hasBegun = true;
    service.endStreams();
  };
  return {
    hasStarted: () => hasBegun,
    drain: async (service, ms) => {
      begin(service);
      await pause(timers, ms);
      // All pending connections have been accepted; those that arrive before the next line would be reset.
      await timers.turn();
      // Unlike the close() of HTTP, this keeps connections that are about to send their request.
      NetServer.prototype.close.call(http);
      await pause(timers, last_requests_ms);
    },
    stop: async (service) => {
      begin(service);
      // Requests that are still waiting are ended, so that they get a response.
      const ending = timers.after(waiting_grace_ms, () => void service.stop());
      const ended = closeServer(http, timers).then(async () => {
        ending();
        await service.stop();
      });
      await atMost(timers, stop_timeout_ms, ended, () => {});
    },
  };
}

/** A request that is still being received after the grace period is dropped. */
function closeServer(http: Server, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    const takeBack = timers.after(grace_ms, () => http.closeAllConnections());
    http.close(() => {
      takeBack();
      resolve();
    });
    http.closeIdleConnections();
  });
}
