/**
 * The service worker of the driver's page: it keeps the last version of the page, and shows it without a connection.
 * A page that is no longer valid is forgotten.
 */

const cacheName = 'drive-1';

/** @type {any} The library of types takes it for a worker of any kind. */
const worker = self;

worker.addEventListener('install', () => worker.skipWaiting());
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

async function answer(request) {
  const cache = await caches.open(cacheName);
  const key = new URL(request.url).pathname;
  const kept = await cache.match(key);
  const response = await load(request, kept).catch(() => null);
  // A full cache must not hide the page.
  if (response?.ok) await cache.put(key, response.clone()).catch(() => {});
  else if (response?.status === 404) await cache.delete(key);
  if (response && (response.status < 500 || !kept)) return response;
  if (!kept) return Response.error();
  const headers = new Headers(kept.headers);
  headers.set('x-kept', '1');
  return new Response(kept.body, { headers });
}

/** Loads a page completely; with a time limit if an earlier version is kept. */
async function load(request, kept) {
  const response = await fetch(request, kept ? { signal: AbortSignal.timeout(15000) } : {});
  await response.clone().text();
  return response;
}

worker.addEventListener('push', (event) => {
  const { title, text } = event.data.json();
  const options = {
    body: text,
    tag: title,
    renotify: true,
    requireInteraction: true,
    vibrate: [300, 150, 300],
  };
  event.waitUntil(worker.registration.showNotification(title, options));
});

async function openPage() {
  const [client] = await worker.clients.matchAll({ type: 'window' });
  if (client) return client.focus();
  const pages = await (await caches.open(cacheName)).keys();
  return pages.length > 0 ? worker.clients.openWindow(pages.at(-1).url) : null;
}

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage());
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = new URL(request.url).pathname;
  if (request.method === 'GET' && /\/drive\/[^/]+$/.test(path)) event.respondWith(answer(request));
});
