import { onTestFinished } from 'vitest';
import {
  builtProgram,
  type Ready,
  type ServerFiles,
  type ServerProcess,
  startServerProcess,
} from '../kills/server-process.ts';
import { freePort } from '../local-server.ts';

/** A `serve` process that is restarted on its ports. */
interface Worker {
  port: number;
  metrics_port: number;
  server: ServerProcess;
  ready: Ready | null;
}

export interface Workers {
  ports: readonly number[];
  /** The metrics of each process. */
  metrics: () => Promise<string[]>;
  /** Kills the next process in turn, and restarts it immediately, from another build if `program` is given. */
  killNext: (program?: string) => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts processes on one database, each on ports that it keeps. */
export async function startWorkers(
  place: ServerFiles,
  count: number,
  first = builtProgram,
): Promise<Workers> {
  const workers: Worker[] = [];
  let kills = 0;
  let isStopped = false;
  const begin = (port: number, metrics_port: number, program = builtProgram) => {
    const flags = [
      '--port',
      String(port),
      '--metrics-port',
      String(metrics_port),
      '--trusted-proxy',
      '127.0.0.1',
      // The receiver of the test is on this machine.
      '--allow-loopback-webhooks',
    ];
    return startServerProcess(place, null, [...flags, '--wait-for-database', '60s'], program);
  };
  const restart = async (worker: Worker, program?: string) => {
    worker.server = begin(worker.port, worker.metrics_port, program);
    worker.ready = await worker.server.ready;
    // Fails the test if the process ends by itself.
    if (worker.ready === null) await worker.server.death;
  };
  for (let number = 0; number < count; number += 1) {
    const [port, metrics_port] = [await freePort(), await freePort()];
    const server = begin(port, metrics_port, first);
    workers.push({ port, metrics_port, server, ready: await server.ready });
  }
  onTestFinished(() => {
    isStopped = true;
  });
  return {
    ports: workers.map(({ port }) => port),
    metrics: () =>
      Promise.all(
        workers.map(async ({ metrics_port }) =>
          (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text(),
        ),
      ),
    killNext: async (program) => {
      const worker = workers[kills % workers.length];
      kills += 1;
      if (worker === undefined || isStopped) return;
      await worker.server.kill();
      await restart(worker, program);
    },
    stop: async () => {
      await Promise.all(workers.map(({ server }) => server.kill()));
    },
  };
}
