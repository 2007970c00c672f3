import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Timers } from '../runtime/time.ts';

/** For requests in hand. */
const grace_ms = 5_000;
const timeout_ms = 2_000;
/** Containers are killed after ten seconds. */
const stop_timeout_ms = 9_000;
/** For the requests of connections that came just before the listener closed. */
const last_requests_ms = 100;

/** The service behind the server. */
interface Stoppable {
  /** Ends the streams that are open, and all that are opened later. */
  endStreams: () => void;
  /** Ends the background work. */
  stop: () => Promise<void>;
}

/** How a server ends: it drains where others are to learn of it, then it stops. */
export interface Shutdown {
  /** Whether it has begun: then each connection ends with its next answer. */
  hasBegun: () => boolean;
  /** Ends streams, goes on answering new connections for so long, and then accepts none. */
  drain: (service: Stoppable, ms: number) => Promise<void>;
  /** Lets requests in hand finish and stops the service; resolves within nine seconds, whatever hangs. */
  stop: (service: Stoppable) => Promise<void>;
}

export function createShutdown(http: Server, timers: Timers): Shutdown {
  let hasBegun = false;
  const begin = (service: Stoppable) => {
    hasBegun = true;
    service.endStreams();
  };
  return {
    hasBegun: () => hasBegun,
    drain: async (service, ms) => {
      begin(service);
      await pause(timers, ms);
      // All that waited to be accepted has been; what comes between this and the next line would be reset.
      await timers.turn();
      // Unlike the close() of HTTP this leaves open what has connected and is about to send its request.
      NetServer.prototype.close.call(http);
      await pause(timers, last_requests_ms);
    },
    stop: async (service) => {
      begin(service);
      // What requests in hand wait for longer than that is ended, so that they are still answered.
      const ending = timers.after(timeout_ms, () => void service.stop());
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = timers.after(stop_timeout_ms, resolve);
      const ended = closed(http, timers).then(async () => {
        ending();
        await service.stop();
      });
      await Promise.race([ended, late]);
      cancel();
    },
  };
}

function pause(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => timers.after(ms, resolve));
}

/** A request that is still coming after the grace is given up: its client may have forgotten it. */
function closed(http: Server, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    const takeBack = timers.after(grace_ms, () => http.closeAllConnections());
    http.close(() => {
      takeBack();
      resolve();
    });
    http.closeIdleConnections();
  });
}
