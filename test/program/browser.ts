import { existsSync } from 'node:fs';
import { type BrowserServer, chromium } from 'playwright-core';

/** The usual locations of Chromium; `CHROMIUM` sets another. */
const places = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The Chromium of this machine; null if it is not installed. */
export const executable = places.find((place) => place !== '' && existsSync(place)) ?? null;

/** The name of a test that needs Chromium, with the reason if it is skipped. */
export function needingBrowser(name: string): string {
  const why = 'did not run: it needs a Chromium at /usr/bin/chromium, or its path in CHROMIUM';
  return executable === null ? `${name} (${why})` : name;
}

/** Starts it as a process that can be killed, with a new profile, and without its own network requests. */
export async function startBrowser(): Promise<BrowserServer> {
  if (executable === null) throw new Error('there is no Chromium');
  return chromium.launchServer({
    executablePath: executable,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
