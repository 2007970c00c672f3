import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { doorDashDrive } from '../fakes/doordash-drive/server.ts';
import { uberDirect } from '../fakes/uber-direct/server.ts';
import { freePort } from '../local-server.ts';
import { freshHome, type Home, root, script } from './run.ts';

export const folder = join(root, 'src', 'guide');
export const readme = readFileSync(join(root, 'README.md'), 'utf8');
export const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
export const documents = [
  { name: 'README.md', text: readme },
  ...pages.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') })),
];

/** Couriers that accept the credentials in the guide; gives the variable that leads to them. */
async function startCouriers(): Promise<Record<string, string>> {
  const account = { client_id: 'client-1', client_secret: 'secret-1', customer_id: 'customer-1' };
  const uber = await uberDirect({ ...account, signing_key: 'signing-key-1', live_mode: false });
  const doorDash = await doorDashDrive();
  onTestFinished(async () => {
    await Promise.all([uber.close(), doorDash.close()]);
  });
  const hosts = {
    ...{ 'auth.uber.com': uber.origin, 'api.uber.com': uber.origin },
    'openapi.doordash.com': doorDash.url,
  };
  return { WAYBILL_TEST_COURIER_HOSTS: JSON.stringify(hosts) };
}

/** The fenced blocks of a language, in order. */
export function blocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
}

/** Saves the courier of a document as the document says, and uses free ports instead of the document's. */
async function prepareCourier({ folder: home }: Home, text: string): Promise<string> {
  const ports = await Promise.all(
    ['4020', '4021'].map(async (port) => [port, `${await freePort()}`] as const),
  );
  const moved = ports.reduce((left, [port, free]) => left.replaceAll(port, free), text);
  const [courier] = blocks(moved, 'js');
  if (courier !== undefined) writeFileSync(join(home, 'courier.mjs'), courier);
  return moved;
}

/** Ends what a document starts and leaves running. */
const cleanUp = `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT`;

/** Couriers respond in service time, which runs at 20 times real time. */
const fastClock = (rate: number) => `waybill sandbox clock scaled --rate ${rate} --quiet > clock.txt`;

/** A page that waits for a delivery of the simulated couriers does so at ten minutes per second, each other block as it is. */
function awaited(name: string, code: string): string[] {
  return name === 'agents.md' && code.includes('deliveries wait ') ? [fastClock(600), code] : [code];
}

interface Document {
  name: string;
  text: string;
}

/** Runs the commands of a document in order, in one shell. */
export async function runDocument({ name, text }: Document): Promise<void> {
  const home = freshHome(name === 'connecting-couriers.md' ? await startCouriers() : {});
  const prepared = name === 'courier-protocol.md' ? await prepareCourier(home, text) : text;
  const { exit, stderr, stdout } = await script(
    home,
    [cleanUp, fastClock(20), ...blocks(prepared, 'sh').flatMap((code) => awaited(name, code))].join('\n'),
  );
  expect(exit, `${stderr}\n${stdout}`).toBe(0);
}

/** The documents with commands that every run of the tests executes: what is read first, and a server with a courier. */
const always = ['README.md', 'courier-protocol.md'];
const run = documents.filter(({ text }) => blocks(text, 'sh').length > 0);

export const documentsRunAlways = run.filter(({ name }) => always.includes(name));

/** The others, which test/heavy runs. */
export const documentsRunSeldom = run.filter(({ name }) => !always.includes(name));
