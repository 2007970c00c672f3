/** `api`: one request as typed, by which paths it is refused, and what is shown of the response. */
import { toApiError } from '../../client/error-responses.ts';
import { type RawRequest, rawRequest } from '../../client/retries.ts';
import { BadValue, listFlag, textFlag } from '../kit/args/flags.ts';
import { type DryRun, UsageError } from '../kit/errors/failure.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { documentResult, type Result, textResult } from '../kit/result/result.ts';
import { type Context, choicePositional, defineCommand, positional } from '../session/command.ts';
import { dryRunOf } from '../session/observed-requests.ts';

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD'] as const;
const upperCase = choicePositional({ summary: 'HTTP method (case-insensitive)', choices: methods });

export const api = defineCommand({
  name: 'api',
  aliases: ['request'],
  summary: 'Make an authenticated API request',
  description: "Sends one request with the profile's API key and prints the response body.",
  positionals: {
    method: { ...upperCase, read: readMethod },
    path: positional('text', { summary: 'Path, such as /v2/routes' }),
  },
  flags: {
    file: textFlag({ summary: 'Request body from a file; - for stdin', placeholder: 'FILE' }),
    query: listFlag({ summary: 'Query parameter as NAME=VALUE, such as limit=5', placeholder: 'NAME=VALUE' }),
  },
  examples: [
    { command: 'waybill api GET /v2/routes --query limit=5', summary: 'List five routes' },
    { command: 'waybill api POST /v2/routes --file route.json', summary: 'Send a request body' },
  ],
  effect: 'write',
  calls: ['account.get'],
  exits: {
    5: 'no such record',
    6: 'conflict',
    8: 'still pending',
  },
  related: ['openapi', 'commands'],
  async run(context, { flags, positionals: { method, path } }) {
    checkFormat(context);
    const body = flags.file === undefined ? undefined : await context.readFile(flags.file);
    const request: RawRequest = {
      method,
      path: checkedPath(path) + queryOf(flags.query, path.includes('?') ? '&' : '?'),
      body,
    };
    if (context.globals.dryRun) throw dryRun(request, context);
    const reads = ['GET', 'HEAD'].includes(request.method) ? { reads: true as const } : undefined;
    const client = await context.client(reads);
    const key = request.method === 'POST' ? { idempotencyKey: context.idempotencyKey() } : {};
    const { text: answer, status, headers } = await client.raw({ ...request, ...key });
    if (status < 200 || status > 299) throw toApiError({ status, headers, body: answer }, context.now());
    if (headers['content-type']?.startsWith('text/event-stream') === true) throw endless(request.path);
    return resultOf(answer);
  },
});

/** The stream was only opened to learn its type; it is closed again. */
function endless(path: string): UsageError {
  return new UsageError(`${path} responds with an endless stream.`, {
    hint: 'Use the streaming command instead.',
    next: [{ ...invocation('events tail'), when: 'follow events' }],
  });
}

/**
 * Refuses formats that need columns: a raw response has none. A format from an environment variable or the profile
 * applies to all commands and is ignored here.
 */
function checkFormat({ globals, isTyped }: Context): void {
  const { output } = globals;
  if (output === undefined || output === 'json' || output === 'ndjson' || !isTyped('output')) return;
  throw new UsageError(`Cannot print this response as ${output}.`, {
    choices: ['json', 'ndjson'],
  });
}

/** Throws BadValue; a path given as the method gets a hint about the method before it. */
function readMethod([given]: readonly string[]): (typeof methods)[number] {
  if (given?.startsWith('/') !== true)
    return upperCase.read(given === undefined ? [] : [given.toUpperCase()]);
  const hint = phrase`The method comes first: ${invocation('api', ['GET', given])}`;
  throw new BadValue(`must be one of ${methods.join(', ')}, not "${given}"`, methods, null, hint);
}

/** Checks the path. The key is only sent to the profile's service, so a URL of another host is refused. */
function checkedPath(path: string): string {
  if (/^\/(?!\/)[!-~]*$/.test(path)) return path;
  const isShort = /^[a-z][!-~]*$/.test(path) && !path.includes(':');
  const likely = isShort ? `/${path.startsWith('v') ? '' : 'v2/'}${path}` : null;
  throw new UsageError(
    `Invalid path "${path}": it must start with one slash, and have no blanks, such as /v2/routes.`,
    {
      ...(likely === null ? {} : { hint: `Did you mean ${likely}?` }),
    },
  );
}

/** The query of `--query`; it starts with `&` if the path has a query already. */
function queryOf(parts: readonly string[], start: '?' | '&'): string {
  const pairs = parts.map((part) => {
    const [name = '', ...value] = part.split('=');
    if (value.length === 0) throw new UsageError(`--query must be NAME=VALUE, not "${part}".`);
    return `${encodeURIComponent(name)}=${encodeURIComponent(value.join('='))}`;
  });
  return pairs.length === 0 ? '' : start + pairs.join('&');
}

/** Prints the request instead of sending it, for GET as well. */
function dryRun(request: RawRequest, { globals, host, idempotencyKey, output, settings }: Context): DryRun {
  const sender = {
    // A key in the keychain is only known by its shown part.
    apiKey: settings.apiKey ?? settings.profile?.api_key_shown ?? null,
    userAgent: `waybill/${host.version}`,
    newIdempotencyKey: () => idempotencyKey(),
  };
  return dryRunOf(rawRequest(request, sender), { settings, curl: globals.curl, json: output.json });
}

function resultOf(answer: string): Result {
  try {
    return documentResult(JSON.parse(answer));
  } catch {
    return textResult(answer);
  }
}
