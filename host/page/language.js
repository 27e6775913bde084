// The page's language: English or Chinese. Texts are in texts/, one file per language.

import { remember, remembered } from '../noughts/web/static/page.js';
import { texts } from './texts.js';

const STORAGE_KEY = 'noughts-page';
const OF_BROWSER = navigator.language.startsWith('zh') ? 'zh' : 'en';
const CODES = { en: 'en', zh: 'zh-CN' };
const DATES = { en: 'en-GB', zh: 'zh-CN' }; // the month is a word, so all readers read one day
const NAMES = { en: 'English', zh: '中文' };

const stored = remembered('localStorage', STORAGE_KEY).language;
const listeners = [];
let language = stored in texts ? stored : OF_BROWSER;

/** A text; `{name}` in it stands for a value. */
export function t(key, values = {}) {
  return texts[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Runs a function now, and again when another language is chosen. */
export function inEachLanguage(show) {
  listeners.push(show);
  show();
}

/** A date and a time, such as `26 Nov 2026, 21:05`; a line may end between the two only. */
export function dateText(ms) {
  const options = { dateStyle: 'medium', timeStyle: 'short' };
  const text = new Date(ms).toLocaleString(DATES[language], options);
  return text.replace(/ (?=\p{L}|\d{4})/gu, '\u00a0');
}

export function startLanguage(button) {
  button.hidden = false; // only now: looking for a Chinese font would delay the first paint
  button.addEventListener('click', () => {
    language = otherLanguage();
    remember('localStorage', STORAGE_KEY, { language });
    for (const show of listeners) show();
  });
  inEachLanguage(() => {
    document.documentElement.lang = CODES[language];
    button.lang = CODES[otherLanguage()];
    button.textContent = NAMES[otherLanguage()];
    translate(document);
  });
}

/** Writes the texts and the labels that the elements in `root` name. */
export function translate(root) {
  for (const part of root.querySelectorAll('[data-t]')) part.textContent = t(part.dataset.t);
  for (const part of root.querySelectorAll('[data-t-label]'))
    part.setAttribute('aria-label', t(part.dataset.tLabel));
}

const otherLanguage = () => (language === 'en' ? 'zh' : 'en');
