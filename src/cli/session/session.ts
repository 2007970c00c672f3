import { isLoopback } from '../../client/addresses.ts';
import type { Notice } from '../../client/calls.ts';
import type { Client } from '../../client/client.ts';
import { allFeatures, type Feature } from '../../client/features.ts';
import { type GlobalValues, globalsFor, readGlobals } from '../kit/args/global-flags.ts';
import type { CommandTree } from '../kit/args/input.ts';
import { contextFlagsOf, type Parsed, withContextFlags } from '../kit/args/parsed-line.ts';
import { Declined, Failure, stackTexts, UsageError } from '../kit/errors/failure.ts';
import type { Host, Prompts } from '../kit/host/host.ts';
import { once } from '../kit/once.ts';
import { type OutputSettings, outputOf } from '../kit/output/format.ts';
import { createWaits, isCi, isRedrawn, type Waits } from '../kit/output/progress.ts';
import { oneLine, sanitized } from '../kit/output/sanitize.ts';
import { type Beside, sentence, worded } from '../kit/output/value-text.ts';
import {
  type Invocation,
  invocation,
  invocationsIn,
  isoTime,
  phrase,
  shellLine,
  stepObject,
  type Text,
  textOf,
} from '../kit/result/message.ts';
import { readInputFile } from '../kit/system/files.ts';
import { withPreferences } from '../settings/entries.ts';
import { changeProfile, type Profile, readSettings, type Settings } from '../settings/settings.ts';
import type { Command, Context, Reach } from './command.ts';
import type { Connection, ServiceHost } from './connect.ts';
import { createWatch, type Watch } from './interceptor.ts';

/** One run of a command: its context, and what has to be closed afterwards. */
export interface Session {
  context: Context;
  output: OutputSettings;
  serviceNow(): number;
  /** Adds the account flags of this run to a command. */
  place<T extends Invocation>(line: T): T;
  /** The format flags of the line. */
  formatFlags(): readonly string[];
  close(): Promise<void>;
}

/** The dependencies of a session. */
interface Parts {
  command: Command;
  parsed: Parsed;
  host: ServiceHost;
  tree: CommandTree;
  values: GlobalValues;
  output: OutputSettings;
  settings(): Settings;
  links: Link[];
  /** The connection to the service in the settings. */
  main(reach?: Reach): Link;
  open(chosen: Settings): Link;
  setInterruptionText: Context['setInterruptionText'];
  say(text: string): void;
  waits: Waits;
}

/** Creates the context of a command. Nothing is read or connected before the command needs it. */
export function openSession(
  command: Command,
  parsed: Parsed,
  { host, tree }: { host: ServiceHost; tree: CommandTree },
): Session {
  // A look-up without a terminal writes no file and needs no interruption text.
  const isSeen = host.stdout.isTerminal || host.stderr.isTerminal;
  if (command.effect !== 'read' || isSeen) host.interruption.listen();
  const asked = readGlobals(parsed.global);
  const settings = once(() => readSettings(asked, parsed.origins, host));
  const values = preferring(asked, { command, parsed, host, settings });
  const output = outputOf(values, host, () =>
    command.effect === 'none' ? undefined : settings().profile?.output,
  );
  const say = (text: string) => void host.stderr.write(`${text}\n`).catch(() => {});
  const waits = createWaits(host, output, { debug: values.debug, say });
  const links: Link[] = [];
  const link = (chosen: Settings, writes: boolean, opensUnchanged = false) => {
    const warn = (line: Text) => say(sentence(line, besideOf(parts)));
    const agree = () => agreeToUnknownMode(parts, chosen);
    const made = createLink({
      settings: chosen,
      values,
      output,
      host,
      say,
      warn,
      agree,
      waits,
      writes,
      opensUnchanged,
    });
    links.push(made);
    return made;
  };
  let first: Link | null = null;
  const main = (reach: Reach = {}) => {
    first ??= link(settings(), command.effect === 'write' && reach.reads !== true, reach.opensUnchanged);
    return first;
  };
  const open = (chosen: Settings) => link(chosen, false);
  const setInterruptionText = interruptionTextSetter({ command, parsed, host, output, links });
  const parts: Parts = {
    command,
    parsed,
    host,
    tree,
    values,
    output,
    settings,
    links,
    main,
    open,
    say,
    waits,
    setInterruptionText,
  };
  const context = contextOf(parts);
  const close = async () => {
    for (const made of links) await made.close();
  };
  return {
    context,
    output,
    serviceNow: () => context.serviceNow(),
    place: context.inContext,
    formatFlags: () => contextFlagsOf(parsed).format,
    close,
  };
}

/**
 * Adds the profile's preferences to the global flags. A command without a service works even if the profile is
 * unreadable, as it may be the one that repairs it.
 */
function preferring(
  asked: GlobalValues,
  { command, parsed, host, settings }: Pick<Parts, 'command' | 'parsed' | 'host' | 'settings'>,
): GlobalValues {
  const profile = profileOf(command, settings);
  if (!profile?.preferences) return asked;
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

function contextOf(parts: Parts): Context {
  const { parsed, host, tree, values, output, settings, main, open, say, waits, setInterruptionText } = parts;
  return {
    tree,
    client: (options) => main(options).client(),
    runService: () => main().run(),
    mode: () => main().mode(),
    has: (feature) => main().has(feature),
    at: (chosen) => {
      const link = open(chosen);
      return contextOf({ ...parts, settings: () => chosen, main: () => link });
    },
    get settings() {
      return settings();
    },
    globals: values,
    inContext: (line) => withContextFlags(line, contextFlagsOf(parsed)),
    plainText: (text) => textOf(text, { place: besideOf(parts).place, time: isoTime }),
    stepObject: (step) => stepObject(withContextFlags(step, contextFlagsOf(parsed))),
    commandText: (line) => shellLine(withContextFlags(line, contextFlagsOf(parsed))),
    isTyped: (name) => parsed.origins.get(name) === 'flag',
    output,
    host,
    now: () => host.now(),
    serviceNow: () => serviceNow(parts),
    sleep: (milliseconds) => host.sleep(milliseconds, host.signal),
    get signal() {
      return host.signal;
    },
    get interactive() {
      return canAsk(values, output, host);
    },
    prompts: () => promptsOf(parts),
    confirm: (question, options) => confirm(question, parts, options?.despiteYes === true),
    note: (line, { isWhole = false } = {}) => {
      if (!output.quiet)
        say(isWhole ? oneLine(worded(line, besideOf(parts))) : sentence(line, besideOf(parts)));
    },
    warn: (line) => say(sentence(line, besideOf(parts))),
    progress: (text) => waits.open(text),
    readFile: (path) => readInputFile(path, host),
    setInterruptionText,
    onStop: (work) => {
      host.interruption.listen();
      host.interruption.work.push(work);
    },
    idempotencyKey: (part) => main().watch.newKey(part),
  };
}

function serviceNow({ links, host }: Pick<Parts, 'links' | 'host'>): number {
  return links.at(-1)?.watch.serviceNow() ?? host.now();
}

/** The context of messages on stderr. */
function besideOf(parts: Pick<Parts, 'output' | 'host' | 'links' | 'parsed'>): Beside {
  const place = <T extends Invocation>(line: T) => withContextFlags(line, contextFlagsOf(parts.parsed));
  return { output: parts.output, stderr: parts.host.stderr, now: serviceNow(parts), place };
}

/** Registers the interruption text; returns the function that replaces it. */
function interruptionTextSetter(
  parts: Pick<Parts, 'command' | 'parsed' | 'host' | 'output' | 'links'>,
): Context['setInterruptionText'] {
  const { command, host, links } = parts;
  let read: (() => Text) | null = null;
  const untouched = command.effect === 'none' ? null : 'Nothing was changed at the service.';
  host.interruption.status = () => {
    const text = read?.() ?? links.at(-1)?.watch.writeOutcome() ?? untouched;
    if (text === null) return null;
    const beside = besideOf(parts);
    return { text: sanitized(worded(text, beside)), next: invocationsIn(text).map(beside.place) };
  };
  return (text) => {
    read = () => (typeof text === 'function' ? text() : text);
  };
}

function canAsk(values: GlobalValues, output: OutputSettings, host: Host): boolean {
  return host.stdin.isTerminal && host.stderr.isTerminal && values.input && !output.json && !isCi(host);
}

/** Plain lines if the terminal cannot redraw. */
function promptsOf({ output, host }: Pick<Parts, 'output' | 'host'>): Promise<Prompts> {
  return host.prompts(!isRedrawn(host, output), output.stderrColour);
}

/** A service that does not report the mode of a key may be live: each write needs confirmation. */
async function agreeToUnknownMode(parts: Parts, { name }: Settings): Promise<void> {
  const { values, output, host } = parts;
  if (values.yes) return;
  const login = invocation('login', [], { mode: 'test' });
  if (!canAsk(values, output, host)) {
    throw new UsageError(`The service does not say whether the key of ${name} is for test or live mode.`, {
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint: phrase`Agree with --yes, or store the mode: \`${login}\`, or --mode live.`,
      next: [{ ...login, when: 'store the mode of the key' }],
    });
  }
  const prompts = await promptsOf(parts);
  const question = `It is not known whether the key of ${name} is for test or live mode. Continue?`;
  if (!(await prompts.confirm(question))) throw new Declined();
}

/** The account is shown above the question. */
async function confirm(question: Text, parts: Parts, despiteYes: boolean): Promise<void> {
  const { command, values, host, output, main } = parts;
  if (values.yes && !despiteYes) return;
  if (!canAsk(values, output, host)) {
    throw new UsageError(phrase`Confirmation required: ${question}`, {
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint: 'Pass --yes to run without a prompt.',
    });
  }
  if (command.effect === 'write') {
    await main().mode();
    main().announce();
  }
  const prompts = await promptsOf(parts);
  if (!(await prompts.confirm(worded(question, besideOf(parts))))) throw new Declined();
}

type Mode = 'test' | 'live';

/** A connection to the service that opens on first use. */
interface Link {
  watch: Watch;
  client(): Promise<Client>;
  /** Runs due work of the embedded service until it is closed; false for another service. */
  run(): Promise<boolean>;
  /** The mode of the key; live if unknown. */
  mode(): Promise<Mode>;
  /** Whether the service has a feature; true if unknown. */
  has(feature: Feature): boolean;
  /** Prints the profile and the mode on stderr once. */
  announce(): void;
  close(): Promise<void>;
}

interface LinkOptions {
  settings: Settings;
  values: GlobalValues;
  output: OutputSettings;
  host: ServiceHost;
  /** Whether writes are possible: then the mode is verified before anything is sent. */
  writes: boolean;
  /** Whether the embedded service is opened unchanged: see `Context.client`. */
  opensUnchanged: boolean;
  say(text: string): void;
  warn(line: Text): void;
  /** Confirms a write in an unknown mode; throws if not confirmed. */
  agree(): Promise<void>;
  waits: Waits;
}

const readableKey =
  'The API key is sent without encryption: everyone on the way can read it. Use an address with https://.';

/** Whether the key goes to another machine without encryption. */
function isReadable({ target }: Settings): boolean {
  if (target.kind === 'embedded') return false;
  const { protocol, hostname } = new URL(target.baseUrl);
  return protocol === 'http:' && !isLoopback(hostname);
}

function createLink(parts: LinkOptions): Link {
  const { settings, values, output, host, writes, opensUnchanged, say, warn, agree, waits } = parts;
  let mode = settings.mode;
  let features = settings.profile?.service ?? null;
  let isSaid = output.quiet;
  const announce = () => {
    if (!isSaid) say(output.json ? contextObject() : `${settings.name} · ${modeText()}`);
    isSaid = true;
  };
  const contextObject = () => JSON.stringify({ type: 'context', profile: settings.name, mode });
  const modeText = () => (mode === null ? 'mode not known' : `${mode} mode`);
  const watch = createWatch({
    host,
    settings,
    dryRun: values.dryRun,
    curl: values.curl,
    debug: values.debug,
    showPii: values.showPii,
    json: output.json,
    idempotencyKey: values.idempotencyKey ?? null,
    isRepeatable: () => features?.idempotency !== false,
    say,
    beforeWrite: announce,
    waits,
  });
  const opened = once(async () => {
    const { connect } = await import('./connect.ts');
    const learnMode = writes && !values.dryRun && !isKnown(settings);
    const { requestTimeout } = values;
    const onFault = (fault: unknown) => {
      if (values.debug) say(`* ${sanitized(stackTexts()(fault))}`);
    };
    const onNotice = createNoticeHandler(settings, warn);
    if (isReadable(settings) && !output.quiet && !values.dryRun) warn(readableKey);
    const options = { host, watch, requestTimeout, learnMode, opensUnchanged, onFault, onNotice };
    const connection = await connect(settings, options);
    ({ mode, features } = connection);
    keepLearned(settings, connection);
    try {
      if (values.idempotencyKey !== undefined && features?.idempotency === false) throw withoutKeys();
      if (learnMode && mode === null) await agree();
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
  let connection: Promise<Connection> | null = null;
  const connected = () => {
    connection ??= opened();
    return connection;
  };
  return {
    watch,
    announce,
    client: async () => (await connected()).client,
    run: async () => {
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

/** Exit 6, before anything is sent: the service would execute a repeated command again. */
function withoutKeys(): Failure {
  const message =
    'This service has no idempotency keys: --idempotency-key cannot make it safe to repeat a command.';
  return new Failure(6, 'not_supported', message, {
    param: '--idempotency-key',
    hint: 'Without the flag the command is sent once. Nothing was changed.',
  });
}

/** The key behind a URL or in a file may be replaced: only the key of the own database is certain. */
function isKnown({ mode, keyOrigin, target, profile }: Settings): boolean {
  const isOwn = keyOrigin === 'default' || (keyOrigin === 'profile' && profile?.api_key_file === undefined);
  return target.kind === 'embedded' && mode === 'test' && isOwn;
}

/** Stores the mode and features of the profile's own key; if that fails, they are requested again next time. */
function keepLearned(
  { file, name, profile, mode, keyOrigin }: Settings,
  learned: Pick<Connection, 'mode' | 'features'>,
): void {
  if (profile === null || keyOrigin === 'flag' || keyOrigin === 'environment') return;
  const isNewMode = mode === null && learned.mode !== null;
  const features = learned.features === allFeatures ? null : learned.features;
  if (!isNewMode && (features === null || features === profile.service)) return;
  const news = {
    ...(isNewMode && learned.mode !== null ? { mode: learned.mode } : {}),
    ...(features === null ? {} : { service: features }),
  };
  try {
    changeProfile(file, name, (kept) => ({ ...profile, ...kept, ...news }));
  } catch {}
}

/** Shows notices about responses of other services, and stores what they say about the service. */
function createNoticeHandler(settings: Settings, warn: (line: Text) => void) {
  const filtered = new Set<string>();
  return (notice: Notice): void => {
    if (notice.kind === 'lacking') {
      keepMissing(settings, notice.feature);
      return;
    }
    const key = JSON.stringify(notice);
    // A command may read the same list several times.
    if (!filtered.has(key)) warn(noticeText(notice));
    if (notice.kind === 'filtered') filtered.add(key);
    // Whole amounts are then read in the same unit next time.
    if (notice.kind === 'main_units') keepMissing(settings, 'cents');
  };
}

/** Stores that the service lacks a feature. */
function keepMissing({ file, name, profile, keyOrigin }: Settings, feature: Feature): void {
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
      const searchedText = isWhole ? `all ${searched} records` : `only the latest ${searched} records`;
      return `The service ignores the filter ${names.join(', ')}: ${searchedText} were filtered here.`;
    }
    case 'main_units':
      return [
        'The service has amounts with decimals: they are read in dollars instead of cents, and so are whole amounts.',
        ...(notice.hasReadCents ? ['Amounts shown before were 100 times too small.'] : []),
        notice.sent.length > 0
          ? `It was sent ${notice.sent.join(', ')} in cents.`
          : 'Amounts that were sent to it before were in cents.',
      ].join(' ');
    case 'unknown_units': {
      const dollars = invocation('login', [], { amounts: 'dollars' });
      return phrase`The service has shown no amounts yet, and is sent ${notice.sent.join(', ')} in cents. If it takes dollars, store that first: ${dollars}`;
    }
    case 'assumed_units':
      return 'Whole amounts are read in dollars instead of cents, because other amounts of the service have decimals.';
    case 'currency':
      return `Amounts are in the smallest unit of ${notice.currency}, although they are shown with a dollar sign.`;
  }
}
