// Asking the server: JSON by GET and POST, and what to do while it is away.

import { $, sentence } from './page.js';

export const AWAY = 'noughts has stopped. Start it again, and this page goes on by itself.';
const BUSY = 'noughts is busy. This page goes on in a moment.';
const SLOW = 'noughts is slow to answer. This page is still waiting.';
export const RETRY_MS = 500;
const SLOW_MS = 1500;

const tokenOf = (page) => page.querySelector('meta[name="token"]').content;
let token = tokenOf(document);
/** Whether this browser may change something: those on other computers may not. */
export const mayChange = token !== '';

export function showError(text) {
  $('page-error').textContent = text && sentence(text);
  $('page-error').hidden = !text;
}

/** What `address` answers. Throws an Error whose message can be shown. */
export async function get(address) {
  return answered(await fetched(address));
}

/**
 * Changes something: sends a file, or JSON. The token is fetched again if noughts has restarted.
 * `late`: whether it may still be sent once noughts is back.
 */
export async function post(address, content, late = true) {
  const body = content instanceof Blob ? content : JSON.stringify(content);
  const send = () => fetched(address, { method: 'POST', headers: { 'X-Noughts-Token': token }, body }, late);
  let response = await send();
  if (response.status === 401) {
    const text = await (await fetched(location.pathname)).text();
    token = tokenOf(new DOMParser().parseFromString(text, 'text/html'));
    response = await send();
  }
  return answered(response);
}

/** Why an address cannot be followed: an `EventSource` does not say. Empty if it can. */
export async function whyNot(address) {
  const ask = new AbortController();
  try {
    const response = await fetch(address, { signal: ask.signal });
    return response.ok ? '' : (await response.json()).error;
  } catch {
    return AWAY;
  } finally {
    ask.abort(); // a stream would have no end
  }
}

/** Asks until the server answers, which may be away or have too much to do. */
async function fetched(address, options, late = true) {
  for (;;) {
    const slow = setTimeout(() => showError(SLOW), SLOW_MS);
    const response = await fetch(address, options).catch(() => null);
    clearTimeout(slow);
    const busy = response?.status === 429;
    showError(busy ? BUSY : response ? '' : AWAY);
    if (response && !busy) return response;
    if (!response && !late) throw new Error(AWAY);
    await new Promise((again) => setTimeout(again, RETRY_MS));
  }
}

async function answered(response) {
  const content = await response.json();
  if (!response.ok) throw new Error(content.error);
  return content;
}
