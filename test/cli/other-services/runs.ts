import { onTestFinished } from 'vitest';
import { sleep } from '../../../src/cli/kit/system/streams.ts';
import { type SeedService, seedService } from '../../fakes/seed-service/server.ts';
import type { Switches } from '../../fakes/seed-service/switches.ts';
import { freshHome, jsonOf, type Outcome, type RunOptions, waybill } from '../harness.ts';

/** A service that waybill did not make, and lines run against it over HTTP. */
export interface OtherService {
  service: SeedService;
  home: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Runs a line with `--json` and gives its answer; fails where it did not end with 0. */
  json(argv: readonly string[]): Promise<Record<string, unknown>>;
  /** The requests since the last call. */
  requests(): string[];
}

/** Waits are a fiftieth of what they would be. */
function quickSleep(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms / 50, signal);
}

/** Starts one and logs in to it. */
export async function otherService(
  switches: Partial<Switches> = {},
  login: readonly string[] = ['--mode', 'test'],
): Promise<OtherService> {
  const service = await seedService(switches);
  onTestFinished(() => service.close());
  const home = freshHome();
  const run = (argv: readonly string[], options: RunOptions = {}) =>
    waybill(argv, { home, sleep: quickSleep, ...options });
  const words = ['login', '--base-url', service.url, '--with-token', '--insecure-storage', ...login];
  const { exit, stderr } = await run(words, { stdin: 'key_1' });
  if (exit !== 0) throw new Error(`login ended with ${exit}: ${stderr}`);
  return {
    ...{ service, home, run },
    json: async (argv) => {
      const { stdout, stderr: said, exit: code } = await run([...argv, '--json']);
      if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${said}`);
      return jsonOf(stdout);
    },
    requests: () => service.requests.splice(0),
  };
}
