/** The session of a command: the context that it runs in, and the connections to close afterwards. */
import { type CommandTree, flagLabel } from '../kit/args/command-input.ts';
import { addContextFlags, readContextFlags, typedOwnWords } from '../kit/args/context-flags.ts';
import { type GlobalValues, globalsFor, readGlobals } from '../kit/args/global-flags.ts';
import type { ParsedLine } from '../kit/args/parsed-line.ts';
import { Declined, UsageError } from '../kit/errors/failure.ts';
import type { InterruptionStatus, Prompts } from '../kit/host/host.ts';
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
  phrase,
  shellLine,
  stepObject,
  type Text,
} from '../kit/result/message.ts';
import { readInputFile } from '../kit/system/files.ts';
import type { Profile } from '../settings/profiles.ts';
import { withPreferences } from '../settings/setting-entries.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Command, ConfirmOptions, Context, KeyCaller, ServiceAccess } from './command.ts';
import type { ServiceHost } from './connect.ts';
import { type LazyConnection, lazyConnection, writeLine } from './lazy-connection.ts';

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

/** Creates the context of a command. The service is connected when the command first needs it. */
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

/** The context of a command for the service of some settings. */
function contextOf(
  run: CommandRun,
  settings: () => Settings,
  connection: (access?: ServiceAccess) => LazyConnection,
): Context {
  const { tree, host, globals, output, waits } = run;
  const withContextFlags = withContextFlagsOf(run);
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
    confirm: (question, options) => confirm(run, connection, question, options),
    ...messagesOf(run, connection),
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

/** The lines that a command writes to stderr. */
function messagesOf(
  run: CommandRun,
  connection: () => LazyConnection,
): Pick<Context, 'note' | 'warning' | 'warn'> {
  const { host, output } = run;
  const wrapped = (line: Text) => wrappedMessage(line, messageContextOf(run));
  return {
    note: (line, { isWhole = false } = {}) => {
      if (output.quiet) return;
      writeLine(host, isWhole ? oneLine(messageText(line, messageContextOf(run))) : wrapped(line));
    },
    warning: (code, message, facts = {}) => {
      if (output.quiet) return;
      connection().announce();
      const object = { type: 'warning', code, message, ...facts };
      writeLine(host, output.json ? JSON.stringify(object) : wrapped(`Warning: ${message}`));
    },
    warn: (line) => writeLine(host, wrapped(line)),
  };
}

function typedFlagsOf({ command, parsed }: CommandRun): Pick<Context, 'isTyped' | 'typedWords'> {
  const isTyped = (name: string) => parsed.origins.get(name) === 'flag';
  return { isTyped, typedWords: (except) => typedOwnWords(command.flags, parsed, except) };
}

/** A separate context for the key of another program's request. Nothing of it is stored or written to stderr. */
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
  const callerRun: CommandRun = { ...run, host, globals, connections: [], interruptionText: null };
  const connection = once(() => addConnection(callerRun, settings, { writes: false, opensUnchanged: false }));
  return contextOf(callerRun, () => settings, connection);
}

function serviceNow({ connections, host }: CommandRun): number {
  return connections.at(-1)?.observer.serviceNow() ?? host.now();
}

function messageContextOf(run: CommandRun): MessageContext {
  const { output, host } = run;
  return { output, stderr: host.stderr, now: serviceNow(run), withContextFlags: withContextFlagsOf(run) };
}

function withContextFlagsOf({ parsed }: CommandRun): Context['withContextFlags'] {
  return (line) => addContextFlags(line, readContextFlags(parsed));
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

/** The prompts of a run; they are plain lines if the terminal cannot redraw. */
function promptsOf({ output, host }: CommandRun): Promise<Prompts> {
  return host.prompts(!isRedrawn(host, output), output.stderrColour);
}

/** Asks before a write at a service that does not report the mode of a key, as it may be live. */
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

/** Asks for confirmation. A command that writes shows the profile and the mode above the question. */
async function confirm(
  run: CommandRun,
  connection: () => LazyConnection,
  question: Text,
  { despiteYes = false, hint, next }: ConfirmOptions = {},
): Promise<void> {
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
