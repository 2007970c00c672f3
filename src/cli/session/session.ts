/** The session of a command: makes its context, and connects to the service at its first use. */
import { isThisMachine } from '../../client/addresses.ts';
import type { Notice } from '../../client/calls.ts';
import type { Client } from '../../client/client.ts';
import { allFeatures, type Feature } from '../../client/service-features.ts';
import {
  type CommandTree,
  flagLabel,
  type GlobalValues,
  globalsFor,
  readGlobals,
} from '../kit/args/command-input.ts';
import {
  addContextFlags,
  type ParsedLine,
  readContextFlags,
  typedFlagWords,
} from '../kit/args/parsed-line.ts';
import { Declined, Failure, stackTexts, UsageError } from '../kit/errors/failure.ts';
import type { Host, InterruptionStatus, Prompts } from '../kit/host/host.ts';
import { once } from '../kit/once.ts';
import { type OutputSettings, outputSettingsFor } from '../kit/output/output-settings.ts';
import { createProgressDisplay, isCi, isRedrawn, type ProgressDisplay } from '../kit/output/progress.ts';
import { oneLine, sanitized } from '../kit/output/safe-text.ts';
import { type MessageContext, messageText, wrappedMessage } from '../kit/output/text-formatting.ts';
import {
  formatText,
  type Invocation,
  invocation,
  invocationsIn,
  isoTime,
  type NextStep,
  phrase,
  shellLine,
  stepObject,
  type Text,
} from '../kit/result/message.ts';
import { readInputFile } from '../kit/system/files.ts';
import { withPreferences } from '../settings/setting-entries.ts';
import { changeProfile, type Profile, readSettings, type Settings } from '../settings/settings.ts';
import type { Command, Context, KeyCaller, ServiceAccess } from './command.ts';
import type { Connection, ServiceHost } from './connect.ts';
import { createRequestObserver, type RequestObserver } from './observed-requests.ts';

/** One run of a command: its context, and what has to be closed afterwards. */
export interface Session {
  context: Context;
  output: OutputSettings;
  serviceNow(): number;
  /** Adds the account flags of this run to a command. */
  withContextFlags<T extends Invocation>(line: T): T;
  formatFlags(): readonly string[];
  close(): Promise<void>;
}

/** The parts that all contexts of a run share. */
interface CommandRun {
  command: Command;
  parsed: ParsedLine;
  host: ServiceHost;
  tree: CommandTree;
  globals: GlobalValues;
  output: OutputSettings;
  waits: ProgressDisplay;
  /** The connections made so far; the last one has the service's time. */
  connections: LazyConnection[];
  /** The text of an interruption that the command has set. */
  interruptionText: (() => Text) | null;
}

/** Creates the context of a command. Nothing is read or connected before the command needs it. */
export function openSession(
  command: Command,
  parsed: ParsedLine,
  { host, tree }: { host: ServiceHost; tree: CommandTree },
): Session {
  // A look-up without a terminal writes no file and needs no interruption text.
  const isSeen = host.stdout.isTerminal || host.stderr.isTerminal;
  if (command.effect !== 'read' || isSeen) host.interruption.listen();
  const givenGlobals = readGlobals(parsed.global);
  const settings = once(() => readSettings(givenGlobals, parsed.origins, host));
  const globals = withProfilePreferences(givenGlobals, { command, parsed, host }, settings);
  const output = outputSettingsFor(globals, host, () =>
    command.effect === 'none' ? undefined : settings().profile?.output,
  );
  const waits = createProgressDisplay(host, output, {
    debug: globals.debug,
    say: (text) => writeLine(host, text),
  });
  const run: CommandRun = {
    command,
    parsed,
    host,
    tree,
    globals,
    output,
    waits,
    connections: [],
    interruptionText: null,
  };
  host.interruption.status = () => interruptionStatus(run);
  let first: LazyConnection | null = null;
  const connection = ({ reads, opensUnchanged }: ServiceAccess = {}) => {
    const writes = command.effect === 'write' && reads !== true;
    first ??= addConnection(run, settings(), { writes, opensUnchanged: opensUnchanged === true });
    return first;
  };
  const context = contextOf(run, settings, connection);
  return {
    context,
    output,
    serviceNow: context.serviceNow,
    withContextFlags: context.withContextFlags,
    formatFlags: () => readContextFlags(parsed).format,
    close: async () => {
      for (const each of run.connections) await each.close();
    },
  };
}

/**
 * Adds the profile's preferences to the global flags. A command without a service works even if the profile is
 * unreadable, as it may be the one that repairs it.
 */
function withProfilePreferences(
  givenGlobals: GlobalValues,
  { command, parsed, host }: Pick<CommandRun, 'command' | 'parsed' | 'host'>,
  settings: () => Settings,
): GlobalValues {
  const profile = profileOf(command, settings);
  if (!profile?.preferences) return givenGlobals;
  return readGlobals(withPreferences(parsed.global, globalsFor(command), profile, host.environment));
}

function profileOf({ effect }: Command, settings: () => Settings): Profile | null {
  try {
    return settings().profile;
  } catch (error) {
    if (effect === 'none') return null;
    throw error;
  }
}

/** A connection of the run to the service in the settings. */
function addConnection(
  run: CommandRun,
  settings: Settings,
  access: { writes: boolean; opensUnchanged: boolean },
): LazyConnection {
  const { globals, output, host, waits } = run;
  const connection = lazyConnection({
    settings,
    globals,
    output,
    host,
    waits,
    ...access,
    warn: (line) => writeLine(host, wrappedMessage(line, messageContextOf(run))),
    confirmMode: () => confirmUnknownMode(run, settings),
  });
  run.connections.push(connection);
  return connection;
}

function contextOf(
  run: CommandRun,
  settings: () => Settings,
  connection: (access?: ServiceAccess) => LazyConnection,
): Context {
  const { tree, parsed, host, globals, output, waits } = run;
  const withContextFlags = <T extends Invocation>(line: T) => addContextFlags(line, readContextFlags(parsed));
  return {
    tree,
    client: (access) => connection(access).client(),
    runService: () => connection().runService(),
    mode: () => connection().mode(),
    has: (feature) => connection().has(feature),
    at: (chosen) => {
      const other = addConnection(run, chosen, { writes: false, opensUnchanged: false });
      return contextOf(
        run,
        () => chosen,
        () => other,
      );
    },
    forCaller: (caller) => contextForCaller(run, caller),
    get settings() {
      return settings();
    },
    globals,
    withContextFlags,
    plainText: (text) => formatText(text, { withContextFlags, time: isoTime }),
    stepObject: (step) => stepObject(withContextFlags(step)),
    commandText: (line) => shellLine(withContextFlags(line)),
    ...typedFlagsOf(run),
    output,
    host,
    now: () => host.now(),
    serviceNow: () => serviceNow(run),
    sleep: (milliseconds) => host.sleep(milliseconds, host.signal),
    get signal() {
      return host.signal;
    },
    get interactive() {
      return canPrompt(run);
    },
    prompts: () => promptsOf(run),
    confirm: (question, { despiteYes = false, hint, next } = {}) =>
      confirm(question, { run, connection, despiteYes, hint, next }),
    note: (line, { isWhole = false } = {}) => {
      const messageContext = messageContextOf(run);
      if (!output.quiet)
        writeLine(
          host,
          isWhole ? oneLine(messageText(line, messageContext)) : wrappedMessage(line, messageContext),
        );
    },
    warning: (code, message, facts = {}) => {
      if (output.quiet) return;
      connection().announce();
      const object = { type: 'warning', code, message, ...facts };
      writeLine(
        host,
        output.json ? JSON.stringify(object) : wrappedMessage(`Warning: ${message}`, messageContextOf(run)),
      );
    },
    warn: (line) => writeLine(host, wrappedMessage(line, messageContextOf(run))),
    progress: (text) => waits.open(text),
    readFile: (path) => readInputFile(path, host),
    setInterruptionText: (text) => {
      run.interruptionText = typeof text === 'function' ? text : () => text;
    },
    onStop: (work) => {
      host.interruption.listen();
      host.interruption.work.push(work);
    },
    idempotencyKey: (part) => connection().observer.newKey(part),
  };
}

function typedFlagsOf({ command, parsed }: CommandRun): Pick<Context, 'isTyped' | 'typedWords'> {
  const isTyped = (name: string) => parsed.origins.get(name) === 'flag';
  const typedWords: Context['typedWords'] = (except = []) =>
    [...parsed.own.flags]
      .filter(([name]) => isTyped(name) && !except.includes(name))
      .flatMap(([name, texts]) => typedFlagWords(name, command.flags[name], texts));
  return { isTyped, typedWords };
}

/** A context of its own for the key of another program's request. Nothing of it is stored, or written to stderr. */
function contextForCaller(run: CommandRun, { transport, apiKey, mode, baseUrl }: KeyCaller): Context {
  const settings: Settings = {
    name: baseUrl,
    nameOrigin: 'flag',
    profile: null,
    file: '',
    target: { kind: 'http', baseUrl },
    apiKey,
    keyOrigin: 'flag',
    mode,
  };
  const host: ServiceHost = Object.create(run.host, {
    openTransport: { value: async () => ({ transport, apiKey, close: async () => {} }) },
    stderr: { value: { isTerminal: false, columns: null, rows: null, write: async () => {} } },
  });
  const globals = { ...run.globals, yes: false, input: false };
  const own: CommandRun = { ...run, host, globals, connections: [], interruptionText: null };
  const connection = once(() => addConnection(own, settings, { writes: false, opensUnchanged: false }));
  return contextOf(own, () => settings, connection);
}

function serviceNow({ connections, host }: CommandRun): number {
  return connections.at(-1)?.observer.serviceNow() ?? host.now();
}

function messageContextOf(run: CommandRun): MessageContext {
  const withContextFlags = <T extends Invocation>(line: T) =>
    addContextFlags(line, readContextFlags(run.parsed));
  return { output: run.output, stderr: run.host.stderr, now: serviceNow(run), withContextFlags };
}

/** The text of an interruption: what the command has set, or else what is known of its writes. */
function interruptionStatus(run: CommandRun): InterruptionStatus | null {
  const untouched = run.command.effect === 'none' ? null : 'Nothing was changed at the service.';
  const text = run.interruptionText?.() ?? run.connections.at(-1)?.observer.writeOutcome() ?? untouched;
  if (text === null) return null;
  const messageContext = messageContextOf(run);
  return {
    text: sanitized(messageText(text, messageContext)),
    next: invocationsIn(text).map(messageContext.withContextFlags),
  };
}

function canPrompt({ globals, output, host }: CommandRun): boolean {
  return host.stdin.isTerminal && host.stderr.isTerminal && globals.input && !output.json && !isCi(host);
}

/** Plain lines if the terminal cannot redraw. */
function promptsOf({ output, host }: CommandRun): Promise<Prompts> {
  return host.prompts(!isRedrawn(host, output), output.stderrColour);
}

/** A service that does not report the mode of a key may be live: each write needs confirmation. */
async function confirmUnknownMode(run: CommandRun, { name }: Settings): Promise<void> {
  if (run.globals.yes) return;
  const login = invocation('login', [], { mode: 'test' });
  if (!canPrompt(run)) {
    throw new UsageError(`The service does not say whether the key of ${name} is for test or live mode.`, {
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint: phrase`Agree with --yes, or store the mode: \`${login}\`, or --mode live.`,
      next: [{ ...login, when: 'store the mode of the key' }],
    });
  }
  const prompts = await promptsOf(run);
  const question = `It is not known whether the key of ${name} is for test or live mode. Continue?`;
  if (!(await prompts.confirm(question))) throw new Declined();
}

interface Confirmation {
  run: CommandRun;
  connection(): LazyConnection;
  /** Whether it is asked in spite of --yes. */
  despiteYes: boolean;
  /** What to pass instead of an answer; undefined: --yes and the limits that are not given. */
  hint: string | undefined;
  next: NextStep | undefined;
}

/** The account is shown above the question. */
async function confirm(question: Text, confirmation: Confirmation): Promise<void> {
  const { run, connection, despiteYes, hint, next } = confirmation;
  if (run.globals.yes && !despiteYes) return;
  if (!canPrompt(run)) {
    throw new UsageError(phrase`Confirmation required: ${question}`, {
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint: hint ?? `Pass ${['--yes', ...limitsToPass(run)].join(' ')} to run without a prompt.`,
      ...(next !== undefined && { next: [next] }),
    });
  }
  if (run.command.effect === 'write') {
    await connection().mode();
    connection().announce();
  }
  const prompts = await promptsOf(run);
  if (!(await prompts.confirm(messageText(question, messageContextOf(run))))) throw new Declined();
}

/** The flags for a maximum cost or fee that the command takes and the user has not passed. */
function limitsToPass({ command, parsed }: CommandRun): string[] {
  return ['maxCost', 'maxFee']
    .filter((name) => Object.hasOwn(command.flags, name) && !parsed.own.flags.has(name))
    .map((name) => `${flagLabel(name)} DOLLARS`);
}

type Mode = 'test' | 'live';

/** A connection to the service that opens on first use. */
interface LazyConnection {
  observer: RequestObserver;
  client(): Promise<Client>;
  /** Runs due work of the embedded service until it is closed; false for another service. */
  runService(): Promise<boolean>;
  /** The mode of the key; live if unknown. */
  mode(): Promise<Mode>;
  /** Whether the service has a feature; true if unknown. */
  has(feature: Feature): boolean;
  /** Prints the profile and the mode on stderr once. */
  announce(): void;
  close(): Promise<void>;
}

/** The parts of a run from which a connection is made. */
interface ConnectionOptions {
  settings: Settings;
  globals: GlobalValues;
  output: OutputSettings;
  host: ServiceHost;
  /** Whether writes are possible: then the mode is verified before anything is sent. */
  writes: boolean;
  /** Whether the embedded service is opened unchanged: see `Context.client`. */
  opensUnchanged: boolean;
  /** Writes a line to stderr, even with --quiet. */
  warn(line: Text): void;
  /** Confirms a write in an unknown mode; throws if not confirmed. */
  confirmMode(): Promise<void>;
  waits: ProgressDisplay;
}

/** What a command that changes something says first: whose records, and in which mode. */
function contextText(context: { profile: string; mode: Mode | null }, isJson: boolean): string {
  if (isJson) return JSON.stringify({ type: 'context', ...context });
  return `${context.profile} · ${context.mode === null ? 'mode not known' : `${context.mode} mode`}`;
}

/** Creates a connection to the service in the settings, which opens when it is first used. */
function lazyConnection(options: ConnectionOptions): LazyConnection {
  const { settings, globals, output, host, writes, opensUnchanged, warn, confirmMode, waits } = options;
  const say = (text: string) => writeLine(host, text);
  let mode = settings.mode;
  let features = settings.profile?.service ?? null;
  let isSaid = output.quiet;
  const announce = () => {
    if (!isSaid) say(contextText({ profile: settings.name, mode }, output.json));
    isSaid = true;
  };
  const { dryRun, curl, debug, showPii, idempotencyKey = null } = globals;
  const observer = createRequestObserver({
    host,
    settings,
    waits,
    dryRun,
    curl,
    debug,
    showPii,
    idempotencyKey,
    say,
    json: output.json,
    isRepeatable: () => features?.idempotency !== false,
    beforeWrite: announce,
  });
  const open = async () => {
    const { connect } = await import('./connect.ts');
    const learnMode = writes && !dryRun && !isModeCertain(settings);
    const { requestTimeout } = globals;
    const onFault = (fault: unknown) => {
      if (debug) say(`* ${sanitized(stackTexts()(fault))}`);
    };
    const onNotice = createNoticeHandler(settings, warn);
    if (isKeyUnencrypted(settings) && !output.quiet && !dryRun) warn(unencryptedKeyWarning);
    const limits = { requestTimeout, learnMode, opensUnchanged };
    const connection = await connect(settings, { host, observer, ...limits, onFault, onNotice });
    ({ mode, features } = connection);
    storeLearned(settings, connection);
    try {
      if (idempotencyKey !== null && features?.idempotency === false) throw noIdempotencyKeysError();
      if (learnMode && mode === null) await confirmMode();
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  };
  let connection: Promise<Connection> | null = null;
  const connected = () => {
    connection ??= open();
    return connection;
  };
  return {
    observer,
    announce,
    client: async () => (await connected()).client,
    runService: async () => {
      const { run } = await connected();
      run?.();
      return run !== undefined;
    },
    mode: async () => {
      const { client } = await connected();
      if (mode === null && features?.account === false) return 'live';
      mode ??= (await client.account.get()).data.test_mode ? 'test' : 'live';
      return mode;
    },
    has: (feature) => features?.[feature] !== false,
    close: async () => {
      await (await connection?.catch(() => null))?.close();
    },
  };
}

/** Writes a line to stderr. A reader that is gone does not matter. */
function writeLine({ stderr }: Pick<Host, 'stderr'>, text: string): void {
  stderr.write(`${text}\n`).catch(() => {});
}

const unencryptedKeyWarning =
  'The API key is sent without encryption: everyone on the way can read it. Use an address with https://.';

/** Whether the key goes to another machine without encryption. */
function isKeyUnencrypted({ target }: Settings): boolean {
  if (target.kind === 'embedded') return false;
  const { protocol, hostname } = new URL(target.baseUrl);
  return protocol === 'http:' && !isThisMachine(hostname);
}

/** Exit 6, before anything is sent: the service would execute a repeated command again. */
function noIdempotencyKeysError(): Failure {
  const message =
    'This service has no idempotency keys: --idempotency-key cannot make it safe to repeat a command.';
  return new Failure(6, 'not_supported', message, {
    param: '--idempotency-key',
    hint: 'Without the flag the command is sent once. Nothing was changed.',
  });
}

/** The key behind a URL or in a file may be replaced: only the key of the own database is certain. */
function isModeCertain({ mode, keyOrigin, target, profile }: Settings): boolean {
  const isOwn = keyOrigin === 'default' || (keyOrigin === 'profile' && profile?.api_key_file === undefined);
  return target.kind === 'embedded' && mode === 'test' && isOwn;
}

/** Stores the mode and features of the profile's own key; if that fails, they are requested again next time. */
function storeLearned(
  { file, name, profile, mode, keyOrigin }: Settings,
  learned: Pick<Connection, 'mode' | 'features'>,
): void {
  if (profile === null || keyOrigin === 'flag' || keyOrigin === 'environment') return;
  const isNewMode = mode === null && learned.mode !== null;
  const features = learned.features === allFeatures ? null : learned.features;
  if (!isNewMode && (features === null || features === profile.service)) return;
  const changes = {
    ...(isNewMode && learned.mode !== null ? { mode: learned.mode } : {}),
    ...(features === null ? {} : { service: features }),
  };
  try {
    changeProfile(file, name, (kept) => ({ ...profile, ...kept, ...changes }));
  } catch {}
}

/** Shows notices about responses of other services, and stores what they say about the service. */
function createNoticeHandler(settings: Settings, warn: (line: Text) => void) {
  const filtered = new Set<string>();
  return (notice: Notice): void => {
    if (notice.kind === 'lacking') {
      storeMissingFeature(settings, notice.feature);
      return;
    }
    const key = JSON.stringify(notice);
    // A command may read the same list several times.
    if (!filtered.has(key)) warn(noticeText(notice));
    if (notice.kind === 'filtered') filtered.add(key);
  };
}

/** Stores that the service lacks a feature. */
function storeMissingFeature({ file, name, profile, keyOrigin }: Settings, feature: Feature): void {
  if (profile === null || keyOrigin === 'flag' || keyOrigin === 'environment') return;
  try {
    changeProfile(file, name, (kept) => ({ ...kept, service: { ...kept?.service, [feature]: false } }));
  } catch {}
}

/** The note on a response of another service. */
function noticeText(notice: Exclude<Notice, { kind: 'lacking' }>): Text {
  switch (notice.kind) {
    case 'unread':
      return `The service accepted the request (status ${notice.status}), but its response is not JSON.`;
    case 'filtered': {
      const { names, searched, isWhole } = notice;
      const filters = `${names.length === 1 ? 'filter' : 'filters'} ${names.join(', ')}`;
      const extent = isWhole ? 'all' : 'only the latest';
      const searchedText = searched === 1 ? 'one record was' : `${extent} ${searched} records were`;
      return `The service ignores the ${filters}: ${searchedText} filtered here.`;
    }
  }
}
