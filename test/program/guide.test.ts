import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentSkill, referencePages, skillFile, withCourierTable } from '../../src/build/reference.ts';
import { guidePages } from '../../src/cli/help/guide-pages.ts';
import { guideTopics } from '../../src/cli/help/help-topics.ts';
import { waybill as inProcess } from '../cli/harness.ts';
import { doorDashDrive } from '../fakes/doordash-drive/server.ts';
import { uberDirect } from '../fakes/uber-direct/server.ts';
import { freePort } from '../local-server.ts';
import { freshHome, type Home, root, script, serve, waybill } from './run.ts';

const folder = join(root, 'src', 'guide');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
const documents = [
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
function blocks(text: string, language: string): string[] {
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

describe('the commands of each document run in order', () => {
  for (const { name, text } of documents.filter((each) => blocks(each.text, 'sh').length > 0)) {
    test(name, async () => {
      const home = freshHome(name === 'connecting-couriers.md' ? await startCouriers() : {});
      const prepared = name === 'courier-protocol.md' ? await prepareCourier(home, text) : text;
      const { exit, stderr, stdout } = await script(
        home,
        [cleanUp, fastClock(20), ...blocks(prepared, 'sh').flatMap((code) => awaited(name, code))].join('\n'),
      );
      expect(exit, `${stderr}\n${stdout}`).toBe(0);
    });
  }
});

test.each(documents)('$name leaves the shell as it was: what it exports is unset at its end', ({ text }) => {
  const commands = blocks(text, 'sh').join('\n');
  const exported = [...commands.matchAll(/^export (.*)$/gm)].flatMap(([, rest = '']) =>
    [...rest.matchAll(/\b([A-Z][A-Z_]*)=/g)].map(([, name = '']) => name),
  );
  const left = exported.filter((name) => {
    const last = commands.lastIndexOf(`${name}=`);
    return !commands
      .slice(last)
      .split('\n')
      .some((line) => line.startsWith('unset ') && line.split(' ').includes(name));
  });
  expect(left).toEqual([]);
});

test.each(documents)('$name has no comment behind a command: zsh would take it for arguments', ({ text }) => {
  const lines = blocks(text, 'sh').flatMap((code) =>
    code.replaceAll(/<<'?END'?\n[\s\S]*?^END$/gm, '').split('\n'),
  );
  expect(lines.filter((line) => /(?:^|\s)#\s/.test(line.replaceAll(/'[^']*'|"[^"]*"/g, 'x')))).toEqual([]);
});

/** Commands that need a terminal or the network, or are endless, are shown in console blocks and not run. */
const notRun = /^(npm |PATH=|waybill (new|completion|listen|login|track|couriers connect) )/;

test('a command that is not run needs a terminal, npm, or another service, or never ends', () => {
  const lines = documents
    .filter(({ name }) => name !== 'scenarios.md')
    .flatMap(({ text }) => blocks(text, 'console'))
    .flatMap((code) => code.split('\n').filter((line) => line.startsWith('$ ')));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line.slice(2)).toMatch(notRun);
});

test('the first delivery works the same against a served process', async () => {
  const { url, keys, stop } = await serve(freshHome());
  const home = freshHome({ WAYBILL_BASE_URL: url, WAYBILL_API_KEY: keys.test });
  const [first = ''] = blocks(readme, 'sh');
  const { exit, stderr } = await script(home, first);
  expect(exit, stderr).toBe(0);
  const { stdout } = await waybill(home, 'deliveries', 'get', '1042', '--json');
  await stop();
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'delivery_created',
    service: 'poolride',
    payment_amount: 647,
  });
});

test('the reference pages match the program', async () => {
  const couriers = readFileSync(join(folder, 'connecting-couriers.md'), 'utf8');
  expect(couriers, 'run node src/build/reference.ts').toBe(await withCourierTable(couriers));
  expect(couriers).toContain('| Uber Direct (`uber-direct`) |');
  for (const [name, markdown] of Object.entries(await referencePages()))
    expect(readFileSync(join(folder, name), 'utf8'), `${name}: run node src/build/reference.ts`).toBe(
      markdown,
    );
});

test('the skill for agents is the page of the guide, in at most 150 lines', () => {
  const skill = readFileSync(join(root, ...skillFile), 'utf8');
  expect(skill, 'run node src/build/reference.ts').toBe(agentSkill());
  expect(skill.split('\n').length).toBeLessThanOrEqual(150);
});

/** The commands that the page for agents names within its sentences, without what a shell makes of them. */
const named = [...readFileSync(join(folder, 'agents.md'), 'utf8').matchAll(/`waybill ([^`\n]+)`/g)].map(
  ([, line = '']) => line.replace(/ > .*/, ''),
);

test.each(named.filter((line) => !/^(COMMAND|commands NAME)/.test(line)))(
  'the page for agents names a command with flags that it has: %s',
  async (line) => {
    const { stderr } = await inProcess([...line.split(' '), '--dry-run', '--no-input']);
    expect(stderr).not.toMatch(/There is no (command|flag (?!--dry-run))|unexpected argument/);
  },
);

test('every page of the guide is a help topic with its summary, and the README links to it', async () => {
  const reference = Object.keys(await referencePages());
  expect(guideTopics.map(({ name }) => `${name}.md`).sort()).toEqual(
    pages.filter((name) => !reference.includes(name)).sort(),
  );
  for (const page of guidePages()) expect(page.sections.length, page.name).toBeGreaterThan(0);
  for (const name of pages) expect(readme).toContain(`src/guide/${name}`);
  const { stdout } = await inProcess(['help', 'events-and-webhooks']);
  expect(stdout).toContain('Per-delivery ordering');
});

test('links in the documents lead to existing files', () => {
  for (const { name, text } of documents) {
    const base = name === 'README.md' ? root : folder;
    for (const [, href = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
      expect(() => readFileSync(join(base, href)), `${name}: ${href}`).not.toThrow(/ENOENT/);
  }
});

test('the README stays short', () => {
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10_000);
});
