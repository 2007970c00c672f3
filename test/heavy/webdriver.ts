/** Browsers besides Chromium, as far as their own drivers go: WebKit by WebDriver, Firefox by WebDriver BiDi. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../local-server.ts';

/** A window of a browser. */
interface OtherBrowser {
  open: (url: string) => Promise<void>;
  /** The value of an expression on the page. */
  read: (expression: string) => Promise<unknown>;
  /** Clicks the first element that a selector finds, as a person does. */
  click: (selector: string) => Promise<void>;
}

/** The first of these files that exists. */
const firstOf = (...files: string[]) => files.find((file) => existsSync(file)) ?? null;

const miniBrowser = firstOf(
  ...['4.1', '6.0', '4.0'].map((each) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${each}/MiniBrowser`),
  ...['4.1', '6.0', '4.0'].map((each) => `/usr/lib/aarch64-linux-gnu/webkit2gtk-${each}/MiniBrowser`),
);
const webKitDriver = firstOf('/usr/bin/WebKitWebDriver');
const screen = firstOf('/usr/bin/Xvfb');
const firefox = firstOf('/usr/bin/firefox-esr', '/usr/bin/firefox');

/** How each browser is started, or what is missing for it. */
export const otherBrowsers: Readonly<Record<string, (() => Promise<OtherBrowser>) | string>> = {
  WebKit:
    miniBrowser === null || webKitDriver === null || screen === null
      ? 'needs the packages webkit2gtk-driver and xvfb'
      : async () => startWebKit(webKitDriver, miniBrowser, await startScreen(screen)),
  Firefox: firefox === null ? 'needs the package firefox-esr' : () => startFirefox(firefox),
};

/** Starts a process, which ends with the test together with those that it starts. It says on stderr or 3 that it is ready. */
function startProcess([program = '', ...words]: readonly string[], env: Record<string, string>) {
  const child = spawn(program, words, {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  child.stderr?.resume();
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {}
  });
  return child;
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-browser-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Starts a screen in memory; returns its name. */
async function startScreen(program: string): Promise<string> {
  const { stdio } = startProcess([program, '-displayfd', '3', '-screen', '0', '1280x1024x24'], {});
  const number = await new Promise((resolve) => stdio[3]?.once('data', resolve));
  return `:${String(number).trim()}`;
}

/** WebDriver (W3C): an HTTP request for each step. */
async function startWebKit(driver: string, binary: string, DISPLAY: string): Promise<OtherBrowser> {
  const port = await freePort();
  startProcess([driver, `--port=${port}`], { HOME: freshFolder(), DISPLAY });
  const send = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { value } = JSON.parse(await answer.text());
    if (!answer.ok) throw new Error(`${path}: ${value.error} ${value.message}`);
    return value;
  };
  const options = { binary, args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
  const { sessionId } = await untilReady(() => send('', { capabilities }));
  return {
    open: (url) => send(`/${sessionId}/url`, { url }),
    read: (expression) => send(`/${sessionId}/execute/sync`, { script: `return (${expression})`, args: [] }),
    click: async (value) => {
      const found = await send(`/${sessionId}/element`, { using: 'css selector', value });
      await send(`/${sessionId}/element/${Object.values(found)[0]}/click`, {});
    },
  };
}

/** The driver listens a moment after it was started. */
async function untilReady<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (fault) {
      if (!(fault instanceof TypeError)) throw fault;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** No requests of its own, and pages may not have the position: nobody is there to answer the question. */
const preferences = {
  'permissions.default.geo': 2,
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'remote.active-protocols': 1,
};

/** The answer to `script.evaluate`. */
interface Evaluated {
  result: { value: string };
  exceptionDetails?: { text: string };
}

/** WebDriver BiDi: messages on a socket of the browser itself. */
async function startFirefox(program: string): Promise<OtherBrowser> {
  const profile = freshFolder();
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${value});`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  const child = startProcess(
    [program, '--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { HOME: profile },
  );
  const address = await new Promise<string>((resolve) => {
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      const [, found] = /BiDi listening on (ws:\S+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  let last = 0;
  const send = <T>(method: string, params: object): Promise<T> => {
    last += 1;
    const id = last;
    return new Promise((resolve, reject) => {
      const take = ({ data }: MessageEvent) => {
        const answer: { id: number; type: string; message: string; result: T } = JSON.parse(String(data));
        if (answer.id !== id) return;
        socket.removeEventListener('message', take);
        if (answer.type === 'success') resolve(answer.result);
        else reject(new Error(`${method}: ${answer.message}`));
      };
      socket.addEventListener('message', take);
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  await send('session.new', { capabilities: {} });
  type Tree = { contexts: [{ context: string }] };
  const [{ context }] = (await send<Tree>('browsingContext.getTree', {})).contexts;
  return {
    open: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    read: async (expression) => {
      const params = { target: { context }, awaitPromise: true };
      const { result, exceptionDetails } = await send<Evaluated>('script.evaluate', {
        ...params,
        expression: `JSON.stringify([(${expression})])`,
      });
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
      return JSON.parse(result.value)[0];
    },
    click: async (value) => {
      const locator = { type: 'css', value };
      const { nodes } = await send<{ nodes: { sharedId: string }[] }>('browsingContext.locateNodes', {
        context,
        locator,
        maxNodeCount: 1,
      });
      const [element] = nodes;
      if (element === undefined) throw new Error(`there is no ${value}`);
      const origin = { type: 'element', element: { sharedId: element.sharedId } };
      const steps = [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', button: 0 },
      ];
      const actions = [
        { type: 'pointer', id: 'mouse', actions: [...steps, { type: 'pointerUp', button: 0 }] },
      ];
      await send('input.performActions', { context, actions });
    },
  };
}
