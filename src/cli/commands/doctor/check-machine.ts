import { isExcepted, proxyFor } from '../../../client/addresses.ts';
import type { Host } from '../../kit/host/host.ts';
import { colourLevel } from '../../kit/output/colour.ts';
import { inkOf } from '../../kit/output/format.ts';
import type { Context } from '../../session/command.ts';
import type { Target } from '../../settings/settings.ts';
import { type Finding, ok, warn } from './finding.ts';

export function checkRuntime({ runtime, platform, version }: Host): Finding {
  return ok('runtime', `Node ${runtime} on ${platform}, waybill ${version}`);
}

const colours = ['no colour', '16 colours', '256 colours', 'all colours'];

/** Checks the terminal's capabilities, as far as the environment shows them. */
export function checkTerminal({ host, globals, output }: Context): Finding {
  const { stdout, environment } = host;
  if (!stdout.isTerminal) return ok('terminal', 'stdout is not a terminal');
  const level = colourLevel({ mode: globals.color, environment, isTerminal: true });
  const ink =
    inkOf(host) === 'blocks' ? 'plots in block characters' : 'plots in ASCII, as the locale asks for';
  const plots = output.accessible ? 'accessible' : ink;
  return ok('terminal', `${stdout.columns ?? '?'} columns, ${colours[level] ?? ''}, ${plots}`);
}

const variables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];

/** Checks whether requests use a proxy. */
export function checkProxy({ environment }: Host, target: Target): Finding {
  const set = variables.filter((name) => environment[name] ?? environment[name.toLowerCase()]);
  if (set.length === 0) return ok('proxy', 'none');
  const url = target.kind === 'http' ? URL.parse(target.baseUrl) : null;
  const found = url === null ? null : proxyFor(url, environment);
  if (url === null || found === null || isExcepted(url, found.exceptions))
    return ok('proxy', `${set.join(', ')} set, not used for this service`);
  const proxy = URL.parse(found.proxy);
  if (proxy === null || !/^https?:$/.test(proxy.protocol)) {
    const remedy = `Correct it: http://HOST:PORT. Or leave the service out: NO_PROXY=${url.hostname}`;
    return warn('proxy', `what ${set.join(', ')} says is not the address of a proxy`, { remedy });
  }
  const but = found.exceptions === '' ? '' : `, but for ${found.exceptions}`;
  return ok('proxy', `requests go through ${proxy.protocol}//${proxy.host}${but}`);
}
