/** Wires a service together: its storage, clocks, background work and `fetch`, for test and live mode. */
import { operationPlaces } from '../contract/operations.ts';
import { fleet_provider } from '../contract/vocabulary.ts';
import type { Provider } from '../providers/port.ts';
import type { Flag } from '../storage/database.ts';
import { endpointAt, loadTaskHandler } from './handlers.ts';
import { createCallers } from './http/authentication.ts';
import { createFetch, type Fetch } from './http/fetch.ts';
import { createRouter } from './http/router.ts';
import { observedProvider, observedWebhooks } from './metrics/observed.ts';
import type { Measured } from './metrics/service-metrics.ts';
import type { Cleaner } from './retention/cleaner.ts';
import { createHeartbeat, createPriorityMutex, createTaskQuarantine } from './runtime/background-state.ts';
import { createClockSkew, createSteadyClock } from './runtime/base-clock.ts';
import { boundedStorage } from './runtime/bounded-transactions.ts';
import { loadOnce } from './runtime/combine-calls.ts';
import type { ServiceConfig, ServiceContext, SharedContext } from './runtime/context.ts';
import { createRequestOrder } from './runtime/ids.ts';
import { createDrivingRouter, createGeocoder } from './runtime/place-services.ts';
import { whileOwner } from './runtime/processes.ts';
import { createSeeding } from './runtime/random.ts';
import { createServiceClock } from './runtime/service-clock.ts';
import type { Sender, WebhookClient } from './runtime/service-ports.ts';
import type { Clock } from './runtime/time.ts';
import { createChangeListeners, createStreams, createWakeup } from './runtime/wakeup.ts';
import { createWriteCheck } from './runtime/write-check.ts';
import { createLoop, refreshClock, runDueTasks } from './tasks/background-loop.ts';
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

/** Creates a service; nothing runs before the first request or `start`. */
export function createService(given: ServiceConfig): Service {
  const writes = createWriteCheck(boundedStorage(given.storage, given.timers), given);
  const config = withObservers({ ...given, storage: writes.storage });
  const webhook_client = observedWebhooks(createWebhookClient(config), config.observe);
  const streams = createStreams();
  const callers = createCallers(config.storage, config);
  const base = createSteadyClock(config);
  const skew = createClockSkew(config, base);
  const shared: SharedContext = {
    ...config,
    providers: [...config.providers, fleetProvider((test_mode) => shared.inMode(test_mode))],
    gazetteer: loadOnce(config.gazetteer),
    webhook_client,
    geocoder: config.places?.geocoder ? createGeocoder(config.places.geocoder, config) : null,
    router: config.places?.router ? createDrivingRouter(config.places.router, config) : null,
    changes: createChangeListeners(),
    streams,
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
  const background = [live, test, cleaner];
  const stop = async () => {
    streams.end();
    await Promise.all(background.map((each) => each.stop()));
    await webhook_client.close();
    // An interrupted request still has to release its idempotency key.
    await config.timers.turn();
  };
  return {
    fetch: createServiceFetch(shared, callers),
    start: () => {
      for (const each of background) each.start();
    },
    stop,
    endStreams: streams.end,
    tick: () => sumOver(modes, ({ tick }) => tick()),
    send: () => sumOver(modes, ({ sender }) => sender.sendDue()),
    endSending: async () => {
      await Promise.all(modes.map(({ context }) => context.sender.stop()));
    },
    measure: async () => {
      const { measureService } = await import('./metrics/service-metrics.ts');
      return measureService([live.context, test.context], writes.failures);
    },
    cleaner,
    clock: live.context.clock,
    test_clock: test.context.clock,
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

/** The HTTP client is loaded on first use. */
function createWebhookClient(config: ServiceConfig): WebhookClient {
  let opened: Promise<WebhookClient> | null = null;
  const open = () => {
    opened ??= import('./webhooks/delivery/http-post.ts').then(({ openWebhookClient }) =>
      openWebhookClient(config),
    );
    return opened;
  };
  return {
    post: async (post) => (await open()).post(post),
    // Later requests open a new client: a stopped service can be started again.
    close: async () => {
      const closing = opened;
      opened = null;
      await (await closing)?.close();
    },
  };
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

/** The service for one mode: its clock, its random streams and its background work. */
interface Mode extends Background {
  context: ServiceContext;
}

/** Work that goes on from `start` to `stop`. */
interface Background {
  start: () => void;
  stop: () => Promise<void>;
}

interface ModeParts {
  test_mode: Flag;
  base: Clock;
  /** Runs before each poll for due tasks: looks for locks and differing clocks. */
  watch: () => Promise<void>;
}

/** Executes tasks and sends events as they become due, once it is started. */
function createMode(shared: SharedContext, { test_mode, base, watch }: ModeParts): Mode {
  const { chance, followSeed, countRequest, countContent } = createSeeding({ ...shared, test_mode });
  const clock = createServiceClock({ ...shared, clock: base, test_mode, followSeed });
  const wakeup = createWakeup(shared.timers);
  const mutex = createPriorityMutex(wakeup.notify);
  const sender = createSender(() => context);
  const tick = async (max_duration_ms?: number): Promise<number | null> => {
    let done: number | null = null;
    await whileOwner(shared, async () => {
      // Loaded when there is work: most commands find none.
      const { runDueWork } = await import('./background-work.ts');
      const work = () => runDueWork(context, max_duration_ms);
      done = await (shared.sandbox ? mutex.runInBackground(work) : work());
    });
    return done;
  };
  const heartbeat = createHeartbeat(shared.monotonic);
  const loop = createLoop({
    ...shared,
    name: 'tasks',
    clock,
    wakeup,
    heartbeat,
    prepare: async () => {
      await shared.storage.check();
      await watch();
    },
    work: tick,
  });
  const context: ServiceContext = {
    ...shared,
    test_mode,
    clock,
    mutex,
    chance,
    tick,
    heartbeat,
    wakeup,
    sender,
    isLooping: loop.isRunning,
    countRequest,
    countContent,
    requestOrder: createRequestOrder(shared.storage, test_mode, clock),
    running_tasks: new Set(),
    quarantine: createTaskQuarantine(shared.monotonic),
  };
  return {
    context,
    start: () => {
      loop.start();
      sender.start();
    },
    stop: async () => {
      await Promise.all([mutex.interrupt(loop.stop), sender.stop()]);
    },
  };
}

/** A sender whose code is loaded on first use: most commands send nothing. */
function createSender(service: () => ServiceContext): Sender {
  let opened: Promise<Sender> | null = null;
  const open = () => {
    opened ??= import('./webhooks/delivery/sender-loop.ts').then(({ openSender }) => openSender(service()));
    return opened;
  };
  return {
    sendDue: async () => (await open()).sendDue(),
    sendPromptly: async () => (await open()).sendPromptly(),
    nextDueAt: async () => (await open()).nextDueAt(),
    start: () => {
      void open().then((sender) => sender.start());
    },
    stop: async () => {
      await (await opened)?.stop();
    },
  };
}

/** The cleaner; its code is loaded when it is used, as most commands do not. */
function lazyCleaner(shared: SharedContext): Cleaner {
  let loaded: Cleaner | null = null;
  const load = loadOnce(async () => {
    const { createCleaner } = await import('./retention/cleaner.ts');
    loaded = createCleaner(shared);
    return loaded;
  });
  let isStarted = false;
  return {
    start: () => {
      isStarted = true;
      void load().then((cleaner) => isStarted && cleaner.start());
    },
    stop: async () => {
      isStarted = false;
      await loaded?.stop();
    },
    warning: () => loaded?.warning() ?? null,
    preview: async () => (await load()).preview(),
    clean: async () => (await load()).clean(),
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
