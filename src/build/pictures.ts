/**
 * Makes the pictures of the guide in real runs of the built program: `explain.svg`, what `waybill deliveries explain` shows
 * in a terminal, on the embedded service with a fixed seed and a manual clock; and, with own drivers and simulated
 * couriers, `board.png`, the dispatcher's board, `driver.png`, a driver's page, and `tracking.png`, the recipient's page.
 * Run `node src/build/pictures.ts` after a build; all but the first need a Chromium, at /usr/bin/chromium or in CHROMIUM.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import xterm, { type IBufferCell, type Terminal } from '@xterm/headless';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '..', '..');
const guide = join(root, 'src', 'guide');
const program = join(root, 'bin', 'waybill.cjs');

// The picture of a terminal.

/** Draws `explain.svg`. */
async function drawExplanation(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'waybill-picture-'));
  try {
    waybill(home, 'sandbox', 'reset', '--seed', '7', '--yes');
    waybill(home, 'sandbox', 'clock', 'manual');
    waybill(home, 'orders', 'create', '--auto', ...order);
    waybill(home, 'sandbox', 'advance', '--by', '1m');
    waybill(home, 'sandbox', 'advance', '--until', '1042:enroute_dropoff');
    const argv = ['deliveries', 'explain', '1042'];
    const screen = await screenOf(home, argv);
    writeFileSync(join(guide, 'explain.svg'), svgOf(`waybill ${argv.join(' ')}`, screen));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const columns = 92;
const character = { width: 8.4, height: 18, size: 14 };
const margin = 16;

const palette = {
  background: '#0d1117',
  foreground: '#e6edf3',
  // The eight terminal colors in order (ECMA-48).
  colors: ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
};

const order = [
  ...['--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'Ohio Street Grill'],
  ...['--pickup-phone', '+13125550100', '--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
  ...['--dropoff-name', 'Joe Diner', '--dropoff-phone', '+13125550142', '--item', 'Brisket Classic:4'],
  ...['--ref', '1042', '--providers', 'swiftly'],
];

function environment(home: string): Record<string, string> {
  return {
    HOME: home,
    PATH: process.env.PATH ?? '',
    TZ: 'America/Chicago',
    LANG: 'C.UTF-8',
    COLUMNS: String(columns),
    TERM: 'xterm-256color',
    COLORTERM: '',
    FORCE_HYPERLINK: '0',
    WAYBILL_NO_UPDATE_NOTICE: '1',
    WAYBILL_INSECURE_STORAGE: 'yes',
    WAYBILL_PAGER: '',
  };
}

/** Runs a command of the built program and returns its output. */
function waybill(home: string, ...argv: string[]): string {
  const options = { env: environment(home), encoding: 'utf8' } as const;
  return execFileSync(process.execPath, [program, ...argv], options).trim();
}

/** Runs a command in a terminal and resolves to its final screen. */
async function screenOf(home: string, argv: readonly string[]): Promise<Terminal> {
  const screen = new xterm.Terminal({ cols: columns, rows: 60, allowProposedApi: true });
  const child = spawnInTerminal(process.execPath, [program, ...argv], {
    cols: columns,
    rows: 60,
    env: environment(home),
  });
  const writes: Promise<void>[] = [];
  child.onData((data) => writes.push(new Promise((resolve) => screen.write(data, resolve))));
  await new Promise<void>((resolve) => child.onExit(() => resolve()));
  await Promise.all(writes);
  return screen;
}

function colorOf(cell: IBufferCell): string {
  if (cell.isFgRGB()) return `#${cell.getFgColor().toString(16).padStart(6, '0')}`;
  return (cell.isFgDefault() ? undefined : palette.colors[cell.getFgColor() % 8]) ?? palette.foreground;
}

function styleOf(cell: IBufferCell): string {
  const bold = cell.isBold() === 0 ? '' : ' font-weight="bold"';
  const dim = cell.isDim() === 0 ? '' : ' opacity="0.6"';
  return `fill="${colorOf(cell)}"${bold}${dim}`;
}

interface Run {
  column: number;
  text: string;
  style: string;
}

/** Groups the characters of a line into runs of one style. */
function runsOf(screen: Terminal, line: number): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column++) {
    const cell = screen.buffer.active.getLine(line)?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const last = runs.at(-1);
    if (last?.style === style) last.text += cell.getChars() || ' ';
    else runs.push({ column, text: cell.getChars() || ' ', style });
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function svgOf(command: string, screen: Terminal): string {
  const lines = Array.from({ length: screen.rows }, (_, line) => runsOf(screen, line));
  const used = lines.findLastIndex((runs) => runs.length > 0) + 1;
  const prompt: Run = {
    column: 0,
    text: `$ ${command}`,
    style: `fill="${palette.foreground}" font-weight="bold"`,
  };
  const drawn = [[prompt], ...lines.slice(0, used)];
  const width = Math.ceil(columns * character.width + 2 * margin);
  const height = drawn.length * character.height + 2 * margin;
  const texts = drawn.flatMap((runs, line) =>
    runs.map(({ column, text, style }) => {
      const x = (margin + column * character.width).toFixed(1);
      const y = margin + (line + 0.75) * character.height;
      const end = text.trimEnd();
      const length = (end.length * character.width).toFixed(1);
      return `<text x="${x}" y="${y}" textLength="${length}" xml:space="preserve" ${style}>${escaped(end)}</text>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Output of ${command}">`,
    `<rect width="100%" height="100%" rx="8" fill="${palette.background}"/>`,
    `<g font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${character.size}">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

// The pictures of pages.

/** Takes `board.png`, `driver.png` and `tracking.png`. */
async function takePages(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'waybill-board-'));
  const service = await startService(home);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    const { driver, recipient } = await playLunchHour(service);
    const inChicago = { locale: 'en-US', timezoneId: 'America/Chicago' };
    const page = await browser.newPage({ viewport: boardSize, ...inChicago });
    await page.goto(`${service.url}/board#key=${service.key}`);
    await page.locator('#act-list [role=option]').first().waitFor();
    await page.waitForTimeout(4000);
    await page.screenshot({ path: join(guide, 'board.png') });
    for (const [name, link] of [
      ['driver', driver],
      ['tracking', recipient],
    ] as const) {
      const phone = await browser.newPage({ viewport: phoneSize, isMobile: true, ...inChicago });
      await phone.goto(link);
      await phone.waitForTimeout(2000);
      await phone.screenshot({ path: join(guide, `${name}.png`) });
    }
  } finally {
    await browser.close();
    service.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const boardSize = { width: 1280, height: 720 };
const phoneSize = { width: 390, height: 780 };

const shops = [
  { name: 'Ohio Street Grill', address: '43 E Ohio St, Chicago, IL 60611', lat: 41.8924, lng: -87.6256 },
  { name: 'Randolph Noodles', address: '1200 W Randolph St, Chicago, IL 60607', lat: 41.8845, lng: -87.6567 },
];

/** A driver in the picture of the board, and how far the route is. */
interface PicturedDriver {
  name: string;
  /** How many orders the route has; none for a driver without a route. */
  order_count: number;
  hasPickedUp?: boolean;
  /** The third delivery has failed. */
  hasFailure?: boolean;
  isOffDuty?: boolean;
  /** The first delivery is made; the pages of the driver and of the third recipient are the pictures of phones. */
  isOnPhone?: boolean;
}

const drivers: readonly PicturedDriver[] = [
  { name: 'Ana Ruiz', order_count: 3, hasPickedUp: true, hasFailure: true },
  { name: 'Kim Poe', order_count: 4 },
  { name: 'Sam Lee', order_count: 5, hasPickedUp: true, isOffDuty: true },
  { name: 'Noor Patel', order_count: 3 },
  { name: 'Tom Ford', order_count: 4, hasPickedUp: true, isOnPhone: true },
  { name: 'Mei Chen', order_count: 5 },
  { name: 'Olu Adeyemi', order_count: 0 },
];
const recipients = [
  'Joe Diner',
  'Quentin Whitfield',
  'Ines Silva',
  'Hal Marsh',
  'Lea Brooks',
  'Fay Lindqvist',
];
const streets = ['N State St', 'W Madison St', 'S Wacker Dr', 'N Clark St'];

/** Starts the program with `waybill serve` and calls its API. */
async function startService(home: string) {
  const env = {
    HOME: home,
    PATH: process.env.PATH ?? '',
    CI: 'true',
    WAYBILL_INSECURE_STORAGE: 'yes',
    WAYBILL_NO_UPDATE_NOTICE: '1',
  };
  const line = ['serve', '--port', '0', '--database', join(home, 'board.db'), '--seed', '7', '--json'];
  const child = spawn(process.execPath, [program, ...line], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [chunk] = await once(child.stdout, 'data');
  const { url, keys }: { url: string; keys: { test: string } } = JSON.parse(
    String(chunk).split('\n')[0] ?? '',
  );
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const headers = { 'x-api-key': keys.test, 'content-type': 'application/json' };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(url + path, { method, headers, ...text });
    const data: Record<string, unknown> = JSON.parse(await answer.text());
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(data)}`);
    return data;
  };
  return { url, key: keys.test, call, stop: () => child.kill('SIGTERM') };
}

type Service = Awaited<ReturnType<typeof startService>>;

let order_number = 1041;

/** The next order of a shop. */
function nextOrder(shop: number) {
  order_number += 1;
  const { name, address, lat, lng } = shops[shop % shops.length] ?? { name: '', address: '', lat: 0, lng: 0 };
  return {
    pickup_name: name,
    pickup_address: address,
    pickup_phone_number: '+13125550100',
    pickup_latitude: lat,
    pickup_longitude: lng,
    dropoff_name: recipients[order_number % recipients.length],
    dropoff_address: `${100 + order_number} ${streets[order_number % streets.length]}, Chicago, IL 60606`,
    dropoff_phone_number: '+13125550142',
    dropoff_latitude: 41.885 + Math.sin(order_number * 7.3) * 0.026,
    dropoff_longitude: -87.645 + Math.cos(order_number * 3.1) * 0.024,
    items_description: 'Brisket Classic',
    external_order_ref: String(order_number),
  };
}

/** Sends taps of a driver's phone; the index of the driver gives the position. */
async function tap({ url }: Service, link: string, taps: readonly object[], index = 0): Promise<void> {
  const live: { service_time: string } = JSON.parse(await (await fetch(`${url}/health/live`)).text());
  const at = live.service_time;
  const position = {
    lat: 41.885 + Math.sin(index * 1.9) * 0.022,
    lng: -87.64 + Math.cos(index * 2.3) * 0.02,
    at,
  };
  const body = { sent_at: at, position, taps: taps.map((each, id) => ({ id: `${at} ${id}`, at, ...each })) };
  await fetch(`${url}/drive/${link.split('/drive/')[1]}/taps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Gives a driver a route of several orders; returns the deliveries. */
async function giveRoute(
  { call }: Service,
  driver_id: unknown,
  shop: number,
  count: number,
): Promise<string[]> {
  const order_ids = [];
  for (let index = 0; index < count; index += 1) {
    order_ids.push((await call('POST', '/v2/orders/create', { orders: [nextOrder(shop)] })).id);
  }
  const route = await call('POST', '/v2/routes', { order_ids });
  await call('POST', `/v2/routes/${route.id}/quotes`, { driver_id });
  for (;;) {
    const { data } = await call('GET', `/v2/routes/${route.id}/quotes`);
    const quote = Array.isArray(data) ? data[0] : undefined;
    if (quote !== undefined) {
      const choice = { quote_id: quote.id, driver_id };
      const { deliveries } = await call('POST', `/v2/routes/${route.id}/dispatch`, choice);
      return Array.isArray(deliveries) ? deliveries.map(({ id }) => String(id)) : [];
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** The addresses of the pages in the pictures of phones. */
interface PhonePages {
  driver: string;
  recipient: string;
}

/** A lunch hour: routes under way, one driver off duty with parcels, failures, and orders that wait. */
async function playLunchHour(service: Service): Promise<PhonePages> {
  const { call } = service;
  const phonePages = { driver: '', recipient: '' };
  for (const [index, pictured] of drivers.entries()) {
    const { name, order_count, hasPickedUp, hasFailure, isOffDuty, isOnPhone } = pictured;
    const phone_number = `+131255501${30 + index}`;
    const driver = await call('POST', '/v2/drivers', { name, phone_number, vehicle_type: 'bicycle' });
    const link = String(driver.link);
    await tap(service, link, [{ kind: 'duty', on: true }], index);
    if (order_count === 0) continue;
    const delivery_ids = await giveRoute(service, driver.id, index, order_count);
    const [first, , third] = delivery_ids;
    if (hasPickedUp) await tap(service, link, [{ kind: 'pick_up', delivery_ids }], index);
    if (isOnPhone) {
      await tap(service, link, [{ kind: 'deliver', delivery_ids: [first] }], index);
      phonePages.driver = link;
      phonePages.recipient = String((await call('GET', `/v1/delivery/${third}`)).tracking_url);
    }
    if (isOffDuty) await tap(service, link, [{ kind: 'duty', on: false }], index);
    if (hasFailure) {
      const report = { status: 'failed', note: 'The box fell into the river' };
      await call('POST', `/v2/deliveries/${third}/reports`, report);
    }
  }
  const auto = {
    mechanism: 'auto',
    providers: ['swiftly'],
    max_cost: 1,
    retry_window: 3600,
    retry_interval: 900,
  };
  await call('POST', '/orders/create', { orders: [nextOrder(0), nextOrder(1)], settings: auto });
  await call('POST', '/v2/orders/create', { orders: [nextOrder(1)] });
  const courier = { mechanism: 'auto', providers: ['swiftly'] };
  await call('POST', '/orders/create', { orders: [nextOrder(0), nextOrder(1)], settings: courier });
  return phonePages;
}

await drawExplanation();
await takePages();
