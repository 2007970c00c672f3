/** The part of the page's script that stores taps until they are sent: in IndexedDB, or in memory without it. */
export const queue = `
const memory = [];
const database = new Promise((resolve) => {
  try {
    const opening = indexedDB.open('drive', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('taps', { keyPath: 'number', autoIncrement: true });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => resolve(null);
  } catch {
    resolve(null);
  }
});

async function inQueue(mode, work) {
  const opened = await database;
  if (!opened) return null;
  return new Promise((resolve, reject) => {
    const request = work(opened.transaction('taps', mode).objectStore('taps'));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function waiting() {
  const kept = (await inQueue('readonly', (store) => store.getAll())) ?? memory;
  return kept.filter((entry) => entry.page === page);
}

async function keep(tap) {
  const entry = { page, tap };
  if ((await inQueue('readwrite', (store) => store.add(entry))) === null) memory.push({ ...entry, number: memory.length });
}

async function forget(numbers) {
  for (const number of numbers) {
    await inQueue('readwrite', (store) => store.delete(number));
    const at = memory.findIndex((entry) => entry.number === number);
    if (at >= 0) memory.splice(at, 1);
  }
}
`;
