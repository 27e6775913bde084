// The data logs of V2s: files that are chosen or dropped on the page, and what was in them.

import { element } from './elements.js';
import { post } from './server.js';

const MOST = 262_145; // bytes that are sent: a data log is shorter, and the server says so

export class DataLogs {
  constructor(root) {
    this.root = root;
    this.may = false;
    this.input = element('input', { type: 'file', accept: '.htm,.html', multiple: true });
    this.input.addEventListener('change', () => {
      this.send([...this.input.files]);
      this.input.value = ''; // the same file may be chosen once more
    });
    this.lines = element('ul', { class: 'log', role: 'status' });
    root.replaceChildren(
      element('h2', {}, 'Games of a V2 that had no cable'),
      element('p', { class: 'quiet' }, 'A V2 stores its games in MY_DATA.HTM on its drive MICROBIT. A board that is plugged in is read by itself. Drop a copy of that file here, or choose it:'),
      element('label', {}, 'MY_DATA.HTM ', this.input),
      this.lines,
    );
    // A file that is dropped anywhere else would take the place of the page.
    document.addEventListener('dragover', (event) => event.preventDefault());
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      this.send([...event.dataTransfer.files]);
    });
  }

  async send(files) {
    if (!this.may) return;
    for (const file of files) {
      const line = element('li', {}, `${file.name}: reading it …`);
      this.lines.prepend(line);
      try {
        const content = await base64(file.slice(0, MOST));
        line.textContent = (await post('/api/logs', { name: file.name, content })).said;
      } catch (error) {
        line.className = 'bad';
        line.textContent = `✗ ${error.message}`;
      }
    }
  }

  allow(may) {
    this.may = may;
    this.root.hidden = !may;
  }
}

function base64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result.split(',')[1] ?? ''));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(blob);
  });
}
