// Starts the page: its language, and its parts, of which the address names the one that is shown.

import { $ } from '../noughts/web/static/page.js';
import { inEachLanguage, startLanguage, t } from './language.js';
import { sections } from './sections.js';

const DEFAULT = 'play';

function show() {
  const name = location.hash.slice(1) in sections ? location.hash.slice(1) : DEFAULT;
  for (const part of document.querySelectorAll('.part')) part.hidden = part.id !== name;
  for (const link of document.querySelectorAll('nav a')) {
    const isCurrent = link.hash === `#${name}`;
    link.toggleAttribute('aria-current', isCurrent);
    if (isCurrent) link.setAttribute('aria-current', 'page');
  }
}

startLanguage($('language'));
inEachLanguage(() => (document.title = t('title')));
for (const start of Object.values(sections)) start();
show();
addEventListener('hashchange', () => {
  if (location.hash === '#main') return; // the link that skips to the content
  show();
  scrollTo(0, 0);
});
if (document.querySelector('link[rel=manifest]')) registerWorker().catch(() => {});
document.documentElement.dataset.ready = ''; // for tests

/** Rejects where the browser refuses it, as in a sandboxed frame; the page works without. */
async function registerWorker() {
  await navigator.serviceWorker?.register('service_worker.js');
}
