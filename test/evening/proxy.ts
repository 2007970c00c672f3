import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { certificate } from '../fakes/smtp/certificate.ts';
import { freePort } from '../local-server.ts';
import { root } from '../program/run.ts';

/** nginx with TLS before some ports of this machine, set up as the guide says; null if it is not installed. */
export async function startProxy(folder: string, ports: readonly number[]): Promise<string | null> {
  if (!isInstalled()) return null;
  const port = await freePort();
  for (const name of ['logs', 'tmp']) mkdirSync(join(folder, 'nginx', name), { recursive: true });
  const prefix = join(folder, 'nginx');
  writeFileSync(join(prefix, 'cert.pem'), certificate.cert);
  writeFileSync(join(prefix, 'key.pem'), certificate.key);
  writeFileSync(join(prefix, 'nginx.conf'), settings(port, ports));
  const child = spawn('nginx', ['-p', prefix, '-c', 'nginx.conf', '-e', 'logs/error.log'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGTERM'));
  while (!(await isListening(port))) await pause(50);
  return `https://127.0.0.1:${port}`;
}

function isInstalled(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/** The server of the guide page on operating, on a port of its own and before several processes. */
function serverOfGuide(port: number): string {
  const guide = readFileSync(join(root, 'src/guide/operating.md'), 'utf8');
  let server = /```nginx\n([\s\S]+?)```/.exec(guide)?.[1] ?? '';
  for (const [given, own] of [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/letsencrypt/live/deliveries.example.com/fullchain.pem', 'cert.pem'],
    ['/etc/letsencrypt/live/deliveries.example.com/privkey.pem', 'key.pem'],
    ['http://127.0.0.1:4010', 'http://service'],
  ] as const) {
    if (!server.includes(given)) throw new Error(`the guide has no ${given}`);
    server = server.replace(given, own);
  }
  return server;
}

function settings(port: number, ports: readonly number[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
worker_processes 1;
pid nginx.pid;
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path tmp/${name};`).join('\n  ')}
  upstream service {
    ${ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join('\n    ')}
    keepalive 32;
  }
  ${serverOfGuide(port)}
}
`;
}
