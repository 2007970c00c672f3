import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { beforeAll, onTestFinished, test } from 'vitest';
import { orderRequest } from '../service/fixture.ts';
import { executable, needingBrowser, startBrowser } from './browser.ts';
import { type Served, sharedService } from './run.ts';

let browser: Browser | null = null;

/** Starts the browser for the tests of a file. */
export function useBrowser(): void {
  beforeAll(async () => {
    if (executable === null) return;
    const started = await startBrowser();
    browser = await chromium.connect(started.wsEndpoint());
    // A busy browser may take minutes to close its windows.
    return () => started.kill();
  });
}

/** The request of the tracked delivery. */
export const request = orderRequest({ dropoff_name: 'Quentin Whitfield' });

const fileService = sharedService();

/** A delivery at a served service whose clock stands still. */
interface Scene {
  link: string;
  /** Makes the courier report a status. */
  step(status: string): Promise<void>;
  /** Passes service time. */
  pass(seconds: number): Promise<void>;
  /** The notes for the courier at the service. */
  notes(): Promise<unknown>;
}

/** At the service of the file unless it has another; `support_phone_number`: that of its store. */
export async function scene({
  service = fileService(),
  support_phone_number,
  ...names
}: {
  service?: Promise<Served>;
  pickup_name?: string;
  support_phone_number?: string;
} = {}): Promise<Scene> {
  const { url, keys } = await service;
  const call = async (method: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const headers = { 'x-api-key': keys.test, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    const data: Record<string, unknown> = JSON.parse(await answer.text());
    if (!answer.ok) throw new Error(`${path}: ${data.message}`);
    return data;
  };
  await call('POST', '/v2/sandbox/clock', { mode: 'manual' });
  const { pickup_name, pickup_address, pickup_phone_number, ...rest } = request;
  const [name, address, phone_number] = ['the shop', pickup_address, pickup_phone_number];
  const store =
    support_phone_number === undefined
      ? { pickup_name, pickup_address, pickup_phone_number }
      : {
          pickup_store_id: (
            await call('POST', '/v2/stores', { name, address, phone_number, support_phone_number })
          ).id,
        };
  const { id, tracking_url } = await call('POST', '/v1/delivery_information', {
    ...rest,
    ...store,
    ...names,
    initiate: true,
  });
  return {
    link: String(tracking_url),
    step: async (status) => void (await call('POST', `/v2/sandbox/deliveries/${id}/steps`, { status })),
    pass: async (by) => void (await call('POST', '/v2/sandbox/clock/advance', { by })),
    notes: async () => {
      const headers = { 'x-api-key': keys.test };
      const answer = await fetch(`${url}/v1/delivery/${id}`, { headers });
      return JSON.parse(await answer.text()).dropoffs[0].dropoff_notes;
    },
  };
}

interface Opened {
  page: Page;
  /** Console messages, errors, and violations of the content security policy. */
  complaints: string[];
  requests: string[];
}

/** Opens a link in a new browser window, and collects the page's errors. */
export async function open(link: string, options: BrowserContextOptions = {}): Promise<Opened> {
  if (browser === null) throw new Error('there is no Chromium');
  const context = await browser.newContext({ timezoneId: 'America/Chicago', locale: 'en-US', ...options });
  context.setDefaultTimeout(0);
  onTestFinished(() => void context.close().catch(() => {}));
  const page = await context.newPage();
  const opened: Opened = { page, complaints: [], requests: [] };
  page.on('console', (message) => opened.complaints.push(message.text()));
  page.on('pageerror', (error) => opened.complaints.push(String(error)));
  page.on('request', (request) => opened.requests.push(request.url()));
  if (options.javaScriptEnabled !== false) await page.clock.install();
  await page.goto(link);
  return opened;
}

export const headline = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();

export const inBrowser = (name: string, work: () => Promise<void>) =>
  test.skipIf(executable === null)(needingBrowser(name), work);
