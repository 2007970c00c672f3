/**
 * The program of a child process: reads one keychain request as JSON from stdin, executes it, and writes the result as JSON
 * to stdout. `programs.ts` starts it. The package for keychains is optional: without it there is no keychain.
 */
import { product } from '../product.ts';
import { readStreamText } from './streams.ts';

const service = product.name;
/** On Linux only the keychain of the desktop is used: that of the kernel loses everything at a reboot. */
const stores = { linux: { store: 'secret-service' } } as const;

async function executeRequest(request: unknown): Promise<string | null> {
  if (typeof request !== 'object' || request === null || !('item' in request) || !('act' in request))
    return null;
  const { Entry } = await loadKeyring();
  const entry = new Entry(service, String(request.item), stores);
  if (request.act === 'write' && 'key' in request) entry.setPassword(String(request.key));
  else if (request.act === 'delete') entry.deleteCredential();
  else if (request.act === 'read') return entry.getPassword();
  return null;
}

async function loadKeyring() {
  try {
    return await import('@napi-rs/keyring');
  } catch {
    throw new Error('the package @napi-rs/keyring is not installed');
  }
}

async function executeFromStdin(): Promise<object> {
  try {
    return { value: await executeRequest(JSON.parse(await readStreamText(process.stdin))) };
  } catch (error) {
    return { fault: reasonOf(error instanceof Error ? error.message : String(error)) };
  }
}

function reasonOf(message: string): string {
  return message.includes('DBUS_SESSION_BUS_ADDRESS') ? 'no desktop session is running here' : message;
}

void executeFromStdin().then((result) => process.stdout.write(JSON.stringify(result)));
