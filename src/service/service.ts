import { operationPlaces } from '../contract/operations.ts';
import { fleet_provider } from '../contract/vocabulary.ts';
import type { Provider } from '../providers/port.ts';
import type { Flag } from '../storage/database.ts';
import { endpointAt, taskKinds } from './handlers.ts';
import { createCallers } from './http/authentication.ts';
import { createFetch, type Fetch } from './http/fetch.ts';
import { createRouter } from './http/router.ts';
import { type Measured, observedProvider, observedWebhooks } from './metrics/measured.ts';
import { createMode } from './mode.ts';
import { createCleaner } from './retention/cleaner.ts';
import type { ServiceConfig, ServiceContext, SharedContext } from './runtime/context.ts';
import { createDrivingRouter, createGeocoder } from './runtime/place-services.ts';
import { createClockSkew, createSteadyClock } from './runtime/service-clock.ts';
import type { Clock } from './runtime/time.ts';
import { createChangeListeners, createStreams } from './runtime/wakeup.ts';
import { boundedStorage, createWriteCheck } from './runtime/write-check.ts';
import { refreshClock, runDueTasks } from './tasks/run-due-tasks.ts';
import { createWebhookClient } from './webhooks/delivery/sender.ts';

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
  /** Measures what a scrape of the metrics shows. */
  measure: () => Promise<Measured>;
  /** The clock of live mode. */
  clock: Clock;
  /** The clock of test mode, as last read from the database. */
  test_clock: Clock;
}

/** Calls `load` once and caches its result; a failure is not cached. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((fault: unknown) => {
      loaded = undefined;
      throw fault;
    });
    return loaded;
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

/** Wires a service together; nothing runs before the first request or `start`. */
export function createService(given: ServiceConfig): Service {
  const writes = createWriteCheck(boundedStorage(given.storage, given.timers));
  const config = withObservers({ ...given, storage: writes.storage });
  const webhook_client = observedWebhooks(createWebhookClient(config), config.observe);
  const changes = createChangeListeners();
  const streams = createStreams();
  const callers = createCallers(config.storage, config.monotonic);
  const base = createSteadyClock(config);
  const skew = createClockSkew(config, base);
  const shared: SharedContext = {
    ...config,
    providers: [...config.providers, fleetProvider((test_mode) => shared.inMode(test_mode))],
    gazetteer: once(config.gazetteer),
    webhook_client,
    geocoder: config.places?.geocoder ? createGeocoder(config.places.geocoder, config) : null,
    router: config.places?.router ? createDrivingRouter(config.places.router, config) : null,
    changes,
    streams,
    forgetCallers: callers.forget,
    skew_ms: skew.skew_ms,
    task_kinds: taskKinds,
    requireWritable: writes.requireWritable,
    head: once(async () => {
      const { createWatermark } = await import('./events/watermark.ts');
      return createWatermark({ ...config, changes }, async () => {
        for (const { context } of modes) if (!context.isLooping()) await runDueTasks(context);
      });
    }),
    inMode: (test_mode) => (test_mode === 1 ? test : live).context,
  };
  const live = createMode(shared, { base, test_mode: 0, compareClocks: skew.compare });
  const test = createMode(shared, { base, test_mode: 1, compareClocks: skew.compare });
  const modes = [live, test];
  const background = [live, test, createCleaner(shared)];
  const stop = async () => {
    streams.end();
    await Promise.all(background.map((each) => each.stop()));
    await webhook_client.close();
    // An interrupted request still has to release its idempotency key.
    await config.timers.turn();
  };
  const fetch = createFetch({
    shared,
    route: createRouter(operationPlaces, endpointAt),
    authority: { callers, wall: config.wall },
    before: { refreshClock, runDueTasks },
    findPushAddress: async (push_token) => {
      const { findPushAddress } = await import('./dispatch/courier-pushes.ts');
      return findPushAddress(shared, push_token);
    },
  });
  const start = () => {
    for (const each of background) each.start();
  };
  return {
    fetch,
    start,
    stop,
    endStreams: streams.end,
    tick: () => sumOver(modes, ({ tick }) => tick()),
    send: () => sumOver(modes, ({ sender }) => sender.sendDue()),
    endSending: async () => {
      await Promise.all(modes.map(({ context }) => context.sender.stop()));
    },
    measure: async () => {
      const { measureService } = await import('./metrics/measure-service.ts');
      return measureService([live.context, test.context], writes.failures);
    },
    clock: live.context.clock,
    test_clock: test.context.clock,
  };
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

/**
 * A merchant's own drivers as a provider. Its records are those of the service: `inMode` gives the service of a mode.
 * The implementation is loaded on the first call.
 */
function fleetProvider(inMode: (test_mode: Flag) => ServiceContext): Provider {
  const serviceOf = ({ test_mode }: { test_mode: boolean }) => inMode(test_mode ? 1 : 0);
  const calls = () => import('./fleet/fleet-calls.ts');
  return {
    name: fleet_provider,
    answer_delay_ms: 0,
    only_when_named: false,
    is_remote: false,
    quotes_at_once: false,
    takes_recipient_calls: true,
    isAvailable: ({ connected }) => connected.includes(fleet_provider),
    quote: async (request) => (await calls()).quoteRoute(serviceOf(request), request),
    create: async (request) => (await calls()).takeRoute(serviceOf(request), request),
    find: async (request) => {
      const { findAnswer } = await calls();
      return serviceOf(request).storage.read((db) => findAnswer(db, request.reference));
    },
    cancelTerms: async (request) => (await calls()).cancelAnswer(request),
    cancel: async (request) => (await calls()).cancelAnswer(request),
    returnPrice: async () => 0,
  };
}
