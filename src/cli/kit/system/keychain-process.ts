/**
 * A child process: executes one keychain request, read as JSON from stdin, and writes the result as JSON to stdout. The
 * package is optional: without it there is no keychain.
 */
import { product } from '../product.ts';
import { readStreamText } from './streams.ts';

const service = product.name;
/** On Linux only the desktop's keychain: the kernel's loses everything at a reboot. */
const stores = { linux: { store: 'secret-service' } } as const;

async function executeRequest(asked: unknown): Promise<string | null> {
  if (typeof asked !== 'object' || asked === null || !('item' in asked) || !('act' in asked)) return null;
  const { Entry } = await loadKeyring();
  const entry = new Entry(service, String(asked.item), stores);
  if (asked.act === 'write' && 'key' in asked) entry.setPassword(String(asked.key));
  else if (asked.act === 'delete') entry.deleteCredential();
  else if (asked.act === 'read') return entry.getPassword();
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

void executeFromStdin().then((found) => process.stdout.write(JSON.stringify(found)));
