import { Problem } from '../../contract/errors.ts';
import type { CourierAdapter, CourierSettings } from '../../providers/courier.ts';
import { ProviderFault } from '../../providers/port.ts';
import type { CallBase } from '../http/handler.ts';
import { faultOf } from './courier-settings.ts';

/**
 * Checks settings at the courier by a call that changes nothing, and that they are for the mode of the key: test
 * settings never serve a live key, and live ones never a test key. Throws `courier_check_failed` and
 * `courier_mode_mismatch`.
 */
export async function checkConnection(
  { service, caller }: Pick<CallBase, 'service' | 'caller'>,
  adapter: CourierAdapter,
  settings: CourierSettings,
): Promise<void> {
  const { test_mode } = caller;
  const http = service.courier_http({ account_id: caller.scope.account_id, test_mode });
  const ports = { http, now: service.wall.now, test_mode };
  const { title } = adapter;
  const found = await adapter
    .connect(settings, ports)
    .check()
    .catch((fault: unknown) => {
      if (!(fault instanceof ProviderFault)) throw fault;
      const problem = withoutSecrets(fault.message, adapter, settings);
      throw new Problem('courier_check_failed', `${title} could not be checked: ${problem}`);
    });
  if (found.kind === 'failed') {
    const problem = withoutSecrets(found.problem, adapter, settings);
    const faults = found.field === null ? [] : [faultOf(found.field, problem)];
    throw new Problem('courier_check_failed', `${title} does not accept the settings: ${problem}`, faults);
  }
  const mode = test_mode ? 'test' : 'live';
  if (found.mode === mode || found.mode === 'unknown') return;
  const message = `These settings of ${title} are for ${found.mode} deliveries, but the key is a ${mode} key.`;
  throw new Problem('courier_mode_mismatch', message);
}

/** A courier may repeat what it was sent. */
function withoutSecrets(
  text: string,
  { settings: fields }: CourierAdapter,
  settings: CourierSettings,
): string {
  const secrets = fields.flatMap(({ name, is_secret }) => (is_secret ? (settings[name] ?? []) : []));
  return secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text);
}
