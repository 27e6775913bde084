// Asking the server: JSON by GET and POST, and what to do while it is away.

let token = document.querySelector('meta[name="token"]').content;
const AWAY = 'noughts is not running any more; start it again, and this page goes on.';
const pageError = document.getElementById('page-error');

export function showTrouble(text) {
  pageError.textContent = text;
  pageError.hidden = !text;
}

/** What `address` answers. Throws an Error whose message can be shown. */
export async function get(address) {
  return answered(await fetched(address, { headers: { Accept: 'application/json' } }));
}

/** Changes something: sends a file, or JSON. The token is fetched again if noughts has restarted. */
export async function post(address, content) {
  let response = await fetched(address, request(content));
  if (response.status === 401) {
    await renewToken();
    response = await fetched(address, request(content));
  }
  return answered(response);
}

function request(content) {
  return {
    method: 'POST',
    headers: { 'X-Noughts-Token': token },
    body: content instanceof Blob ? content : JSON.stringify(content),
  };
}

async function fetched(address, options) {
  try {
    const response = await fetch(address, options);
    showTrouble('');
    return response;
  } catch {
    showTrouble(AWAY);
    throw Object.assign(new Error('noughts is not running'), { away: true });
  }
}

async function answered(response) {
  const content = await response.json();
  if (!response.ok) {
    const busy = response.status === 429; // it will have time again, as one that is away may return
    const error = new Error(content.error ?? `the server answers ${response.status}`);
    if (busy) showTrouble(error.message);
    throw Object.assign(error, { away: busy });
  }
  return content;
}

async function renewToken() {
  const text = await (await fetched(location.pathname, {})).text();
  const page = new DOMParser().parseFromString(text, 'text/html');
  token = page.querySelector('meta[name="token"]').content;
}

/**
 * A WebSocket that is opened again whenever it closes, with the token of the server's present start.
 * `hear` gets each message. Gives a function that sends one, if it is open.
 */
export function connect(address, hear) {
  let socket = null;
  let wait = 250;
  function open() {
    socket = new WebSocket(`ws://${location.host}${address}`);
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ token }));
      wait = 250;
      showTrouble('');
    });
    socket.addEventListener('message', (event) => hear(JSON.parse(event.data)));
    socket.addEventListener('close', () => {
      showTrouble(AWAY);
      later();
    });
  }
  function later() {
    setTimeout(() => renewToken().then(open, later), wait);
    wait = Math.min(wait * 2, 2000);
  }
  open();
  return (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
}
