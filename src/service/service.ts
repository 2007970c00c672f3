/** Wires a service together: its storage, clocks, background work and `fetch`, for test and live mode. */
import { operationPlaces } from '../contract/operations.ts';
import { endpointAt, loadTaskHandler } from './handlers.ts';
import { createCallers } from './http/authentication.ts';
import { createFetch, type Fetch } from './http/fetch.ts';
import { createRouter } from './http/router.ts';
import { createWebhookClient, fleetProvider, lazyCleaner } from './lazy-parts.ts';
import { observedProvider, observedWebhooks } from './metrics/observed.ts';
import type { Measured } from './metrics/service-metrics.ts';
import type { Cleaner } from './retention/cleaner.ts';
import { createClockSkew, createSteadyClock } from './runtime/base-clock.ts';
import { boundedStorage } from './runtime/bounded-transactions.ts';
import { loadOnce } from './runtime/combine-calls.ts';
import type { ServiceConfig, ServiceContext, SharedContext } from './runtime/context.ts';
import { createDrivingRouter, createGeocoder } from './runtime/place-services.ts';
import type { Clock } from './runtime/time.ts';
import { createChangeListeners, createStreams } from './runtime/wakeup.ts';
import { createWriteCheck } from './runtime/write-check.ts';
import { createMode, type Mode } from './service-mode.ts';
import { refreshClock, runDueTasks } from './tasks/background-loop.ts';
import { createCallShares } from './tasks/lanes.ts';

export interface Service {
  /** Handles one request. */
  fetch: Fetch;
  /** Executes tasks and sends events as they become due, until `stop`. */
  start: () => void;
  /**
   * Resolves once the running steps have ended; an unfinished clock advance is left for the next start. The caller
   * closes the storage.
   */
  stop: () => Promise<void>;
  /** Executes the tasks that are due now, unless another process does; resolves with their number. */
  tick: () => Promise<number>;
  /** Sends the events that are due now; resolves with the number of attempts. */
  send: () => Promise<number>;
  /** Ends the open streams, and immediately those that are opened later. */
  endStreams: () => void;
  /** Ends sending within two seconds; an interrupted attempt is repeated by the next sender. */
  endSending: () => Promise<void>;
  /** Deletes old data. */
  cleaner: Cleaner;
  /** Measures what a scrape of the metrics shows. */
  measure: () => Promise<Measured>;
  /** The clock of live mode. */
  clock: Clock;
  /** The clock of test mode, as last read from the database. */
  test_clock: Clock;
}

/**
 * Creates a service; nothing runs before the first request or `start`. Its parts need each other, so that some functions
 * here name what is created below them: none of them is called before all is there.
 */
export function createService(given: ServiceConfig): Service {
  const writes = createWriteCheck(boundedStorage(given.storage, given.timers), given);
  const config = withObservers({ ...given, storage: writes.storage });
  const callers = createCallers(config.storage, config);
  const base = createSteadyClock(config);
  const skew = createClockSkew(config, base);
  const shared: SharedContext = {
    ...config,
    providers: [...config.providers, fleetProvider((test_mode) => shared.inMode(test_mode))],
    gazetteer: loadOnce(config.gazetteer),
    webhook_client: observedWebhooks(createWebhookClient(config), config.observe),
    geocoder: config.places?.geocoder ? createGeocoder(config.places.geocoder, config) : null,
    router: config.places?.router ? createDrivingRouter(config.places.router, config) : null,
    changes: createChangeListeners(),
    streams: createStreams(),
    forgetCallers: callers.forget,
    skew_ms: skew.skew_ms,
    call_shares: createCallShares(),
    readTrustedTime: skew.readTrustedTime,
    mayForgetKeys: skew.mayForgetKeys,
    cleaningWarning: () => cleaner.warning(),
    loadTaskHandler,
    requireWritable: writes.requireWritable,
    head: loadOnce(async () => {
      const { createWatermark } = await import('./events/event-stream.ts');
      return createWatermark(shared, async () => {
        for (const { context } of modes) if (!context.isLooping()) await runDueTasks(context);
      });
    }),
    inMode: (test_mode) => (test_mode === 1 ? test : live).context,
  };
  const watch = async () => {
    writes.reportStrain();
    await skew.compare();
  };
  const cleaner = lazyCleaner(shared);
  const live = createMode(shared, { base, test_mode: 0, watch });
  const test = createMode(shared, { base, test_mode: 1, watch });
  const modes = [live, test];
  return {
    ...createLifecycle(shared, modes, cleaner),
    fetch: createServiceFetch(shared, callers),
    measure: async () => {
      const { measureService } = await import('./metrics/service-metrics.ts');
      return measureService([live.context, test.context], writes.failures);
    },
    cleaner,
    clock: live.context.clock,
    test_clock: test.context.clock,
  };
}

/** Starts and stops what runs by itself, and does at once what is due. */
function createLifecycle(
  { streams, webhook_client, timers }: SharedContext,
  modes: readonly Mode[],
  cleaner: Cleaner,
): Pick<Service, 'start' | 'stop' | 'tick' | 'send' | 'endStreams' | 'endSending'> {
  const background = [...modes, cleaner];
  return {
    start: () => {
      for (const each of background) each.start();
    },
    stop: async () => {
      streams.end();
      await Promise.all(background.map((each) => each.stop()));
      await webhook_client.close();
      // An interrupted request still has to release its idempotency key.
      await timers.turn();
    },
    tick: () => sumOver(modes, ({ tick }) => tick()),
    send: () => sumOver(modes, ({ sender }) => sender.sendDue()),
    endStreams: streams.end,
    endSending: async () => {
      await Promise.all(modes.map(({ context }) => context.sender.stop()));
    },
  };
}

/** Counts the calls to providers, if anything is counted. */
function withObservers(config: ServiceConfig): ServiceConfig {
  const { observe, monotonic } = config;
  if (observe === undefined) return config;
  return {
    ...config,
    providers: config.providers.map((each) => observedProvider(each, observe, monotonic)),
  };
}

/** Handles the requests of both modes. */
function createServiceFetch(shared: SharedContext, callers: ReturnType<typeof createCallers>): Fetch {
  return createFetch({
    shared,
    route: createRouter(operationPlaces, endpointAt),
    callers,
    before: { refreshClock, runDueTasks },
    findPushAddress: async (push_token) => {
      const { findPushAddress } = await import('./dispatch/pushes-and-polls.ts');
      return findPushAddress(shared, push_token);
    },
  });
}

/** The sum of what the work returns for each mode, one after the other. */
async function sumOver(
  modes: readonly { context: ServiceContext }[],
  work: (context: ServiceContext) => Promise<number | null>,
): Promise<number> {
  let sum = 0;
  for (const { context } of modes) sum += (await work(context)) ?? 0;
  return sum;
}
