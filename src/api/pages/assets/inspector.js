// What pages do beyond being read: they follow their session, the slider shows the version at once, times
// say how long ago they were. Without it everything still works, a click later.

const root = document.documentElement;
root.classList.add('js');

let stream = null;
let reading = null;
let isLate = false;
let again = 0;

const main = () => document.querySelector('main');

/** Reads a page of ours and puts its content in place of this one's. */
async function show(url, { keep }) {
  clearTimeout(again);
  reading?.abort();
  reading = new AbortController();
  const { signal } = reading;
  try {
    const answer = await fetch(url, { signal, headers: { accept: 'text/html' } });
    // What is shown is better than the page of an error that passes.
    if (answer.status >= 500 || answer.status === 429) throw new Error(answer.statusText);
    const text = await answer.text();
    const next = new DOMParser().parseFromString(text, 'text/html');
    const fresh = next.querySelector('main');
    if (signal.aborted || fresh === null) return;
    const focused = placeOf(document.activeElement);
    const slider = keep ? main().querySelector('.slider') : null;
    const open = [...main().querySelectorAll('details[open][id]')].map(({ id }) => id);
    main().replaceWith(document.adoptNode(fresh));
    if (slider !== null) main().querySelector('.slider')?.replaceWith(slider);
    for (const id of open) document.getElementById(id)?.setAttribute('open', '');
    document.title = next.title;
    focused()?.focus({ preventScroll: true });
    begin();
  } catch (error) {
    if (error.name === 'AbortError') return;
    say('The service does not answer: it is tried again.');
    again = setTimeout(() => show(url, { keep }), 3_000);
  }
}

/** Finds again what has the focus when the content is new: by its id, else what is called and leads alike. */
function placeOf(element) {
  if (element === null || !main().contains(element)) return () => null;
  if (element.id) return () => document.getElementById(element.id);
  const nameOf = (one) => `${one.getAttribute('href')} ${one.textContent.slice(0, 200)}`;
  const name = nameOf(element);
  const alike = () =>
    [...main().querySelectorAll(element.localName)].filter((one) => nameOf(one) === name);
  const index = alike().indexOf(element);
  return () => alike()[index];
}

function say(text) {
  const line = document.querySelector('.live-dot');
  line.hidden = text === '';
  if (line.textContent !== text) line.textContent = text;
}

/** Somebody who is writing, has marked a text, or reads a question of ours, is not interrupted. */
function isBusy() {
  const active = document.activeElement;
  const writes = active?.matches('main input, main textarea, main select') ?? false;
  const marked = getSelection();
  const marks = marked?.type === 'Range' && main().contains(marked.anchorNode);
  return writes || marks || main().querySelector('.confirm[open]') !== null;
}

let waiting = 0;

function follow() {
  // A browser has six connections to a service for all of its tabs: those that nobody sees take none.
  const address = document.hidden ? undefined : main().dataset.live;
  if (stream?.address === address) return;
  stream?.source.close();
  stream = null;
  if (address === undefined) {
    say('');
    return;
  }
  const source = new EventSource(address);
  stream = { source, address };
  source.onopen = () => say('live');
  // Closed: what it followed is not there any more.
  source.onerror = () =>
    say(source.readyState === EventSource.CLOSED ? 'no longer live' : 'connecting …');
  source.onmessage = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (!isBusy()) show(location.href, { keep: false });
      else {
        isLate = true;
        say('there is news: it is shown when you are done');
      }
    }, 250);
  };
}

function catchUp() {
  if (!isLate) return;
  setTimeout(() => {
    if (!isLate || isBusy()) return;
    isLate = false;
    show(location.href, { keep: false });
  }, 300);
}

document.addEventListener('focusout', catchUp);
document.addEventListener('selectionchange', catchUp);
document.addEventListener('visibilitychange', follow);

function slide() {
  const form = document.querySelector('.slider');
  const range = form?.querySelector('input[type=range]');
  if (!range || range.dataset.ready) return;
  range.dataset.ready = 'yes';
  let timer = 0;
  range.addEventListener('input', () => {
    form.querySelector('output').textContent = Number(range.value).toLocaleString('en-US');
    clearTimeout(timer);
    timer = setTimeout(() => {
      const url = `${form.getAttribute('action')}?at=${range.value}`;
      history.replaceState(null, '', url);
      show(url, { keep: true });
    }, 120);
  });
}

const STEPS = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
];

function ago(at) {
  let amount = (Date.parse(at) - Date.now()) / 1000;
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [size, unit] of STEPS) {
    if (Math.abs(amount) < size) return words.format(Math.round(amount), unit);
    amount /= size;
  }
  return at;
}

function times() {
  for (const time of document.querySelectorAll('time')) {
    const at = time.getAttribute('datetime');
    const text = ago(at);
    if (time.textContent !== text) time.textContent = text;
    time.title = new Date(at).toLocaleString();
  }
}

function begin() {
  follow();
  slide();
  times();
}

document.addEventListener('submit', ({ target }) => {
  if (!target.matches('.busy')) return;
  const status = target.querySelector('.status');
  if (status) status.textContent = 'Working … a large file takes a minute.';
});

addEventListener('pagehide', () => {
  stream?.source.close();
  stream = null;
});
// A page that the browser has kept, and goes back to, is old.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) show(location.href, { keep: false });
});
setInterval(times, 30_000);
begin();
