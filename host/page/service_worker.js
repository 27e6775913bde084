// Lets the site open without the internet. VERSION changes with each build of the page.

const CACHE = 'noughts-VERSION';
const FILES = ['./', 'noughts.hex', 'manifest.webmanifest', 'icon.svg'];
// From the server: the browser's own cache may still hold those of the version before.
const REQUESTS = FILES.map((file) => new Request(file, { cache: 'reload' }));

addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(REQUESTS))
      .then(() => skipWaiting()),
  );
});

addEventListener('activate', (event) => {
  event.waitUntil(deleteOtherCaches().then(() => clients.claim()));
});

async function deleteOtherCaches() {
  const names = (await caches.keys()).filter(
    (name) => name.startsWith('noughts-') && name !== CACHE,
  );
  await Promise.all(names.map((name) => caches.delete(name)));
}

addEventListener('fetch', (event) => {
  event.respondWith(
    caches
      .match(event.request, { ignoreSearch: true })
      .then((stored) => stored ?? fetch(event.request)),
  );
});
