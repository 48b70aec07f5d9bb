// What goes on in a turn: seconds that tick, thinking that folds, boxes that keep up with their text, and the fold of
// a whole turn. Reads the page and asks the server nothing. Knows steps by their type and their icon.
import { words } from './words.js';

const STEP = '.step[data-step-type]:not([data-step-type*="message"])';
const LABEL = '[id^="step-"]:is(p, button)';
const TICK_MS = 500;
const WAITED_BEFORE_S = 0.7; // before "Waiting for the model…" comes up

const hasIcon = (step, ...names) => names.some((name) => step.querySelector(`.lucide-${name}`));
const idOf = (label) => label.closest('div[id^="step-"]')?.id;
const isRunning = (label) => label.classList.contains('loading-shimmer');
const isOpen = (label) => label.getAttribute('aria-expanded') === 'true';

// ---- Seconds. They are painted beside the label, so that nothing reads them aloud each second. ----

// They outlive the page in its tab: who loads it anew in the midst of a turn sees them go on.
const CLOCKS = 'thinkglass-clocks';
const clocks = new Map(JSON.parse(sessionStorage.getItem(CLOCKS) ?? '[]'));
const wallSeconds = () => (performance.timeOrigin + performance.now()) / 1000;
const keepClocks = () => sessionStorage.setItem(CLOCKS, JSON.stringify([...clocks]));
const SILENCE = new RegExp(`(?:(\\d+) ${words.minute} )?(\\d+) ${words.second}`);

function duration(seconds) {
  const rest = `${seconds % 60} ${words.second}`;
  return seconds < 60 ? rest : `${Math.floor(seconds / 60)} ${words.minute} ${rest}`;
}

function clockOf(key, name, begin) {
  let clock = clocks.get(key);
  if (clock?.name !== name) {
    clock = { name, since: wallSeconds() - begin() };
    clocks.set(key, clock);
    keepClocks();
  }
  return Math.floor(wallSeconds() - clock.since);
}

// "No word from the model for 20 s": the server says it now and then, and in between the number goes on by itself.
function tickSilence(label) {
  const text = [...label.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && SILENCE.test(node.nodeValue));
  if (!text) return;
  const [told, minutes, seconds] = SILENCE.exec(text.nodeValue);
  const seconds_ago = () => Number(minutes ?? 0) * 60 + Number(seconds);
  const passed = duration(Math.max(clockOf(idOf(label), label.id, seconds_ago), 1));
  if (passed !== told) text.nodeValue = text.nodeValue.replace(told, passed);
}

function tick() {
  const labels = document.querySelectorAll(`.loading-shimmer${LABEL}`);
  const isAsking = document.querySelector('.consent'); // the time until the answer is not the tool's
  for (const label of labels) {
    const step = label.closest('.step');
    if (hasIcon(step, 'unplug')) tickSilence(label);
    else if (isAsking && step.dataset.stepType === 'tool') {
      clocks.delete(idOf(label));
      delete label.dataset.elapsed;
    } else {
      const passed = clockOf(idOf(label), label.id, () => (hasIcon(step, 'hourglass') ? WAITED_BEFORE_S : 0));
      if (passed >= 1) label.dataset.elapsed = duration(passed);
      else delete label.dataset.elapsed;
    }
  }
  return labels.length;
}

let ticking = 0;
function keepTicking() {
  if (tick() && !ticking) {
    ticking = setInterval(() => {
      if (tick()) return;
      clearInterval(ticking);
      ticking = 0;
      clocks.clear();
      keepClocks();
    }, TICK_MS);
  }
}

// ---- A silence can be ended where it is told of. ----

function offerStop() {
  for (const button of document.querySelectorAll('.step-stop')) {
    if (!hasIcon(button.closest('.step'), 'unplug')) button.remove();
  }
  for (const icon of document.querySelectorAll(`${STEP} .lucide-unplug`)) {
    const place = icon.closest('.step').querySelector(LABEL)?.parentElement;
    if (place && !place.querySelector('.step-stop')) {
      const stop = () => document.getElementById('stop-button')?.click();
      place.append(buttonThat(stop, 'step-stop', words.stop));
    }
  }
}

function buttonThat(acts, className, text) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className, textContent: text, onclick: () => acts(button) });
  return button;
}

// ---- Thinking folds when it has ended, unless the reader has opened or closed it: then that stays. ----

const choices = new Map();

function noteChoice(event) {
  const label = event.isTrusted && event.target.closest?.(`[data-step-type="llm"] button${LABEL}`);
  if (label) choices.set(idOf(label), !isOpen(label));
}

function fold() {
  for (const label of document.querySelectorAll(`[data-step-type="llm"] button${LABEL}`)) {
    const id = idOf(label);
    const choice = choices.get(id);
    if (choice !== undefined) {
      if (isOpen(label) !== choice) label.click();
    } else if (!isRunning(label) && isOpen(label) && hasIcon(label.closest('.step'), 'brain')) label.click();
  }
}

// ---- The newest line of a running step stays in view while the reader is at its end. ----

const BOX = '.ai-message [role="region"]';
const MOMENT_MS = 1000;
const readingBack = new WeakSet();
const lastTop = new WeakMap();
let lastTouch = -MOMENT_MS;
let lastTouchAnywhere = -MOMENT_MS;

function noteScroll({ target, timeStamp }) {
  if (target === page()) noteEnd(target, timeStamp);
  if (!target.closest?.(BOX)) return;
  const { scrollTop, scrollHeight, clientHeight } = target;
  const before = lastTop.get(target) ?? 0;
  const isReader = timeStamp - lastTouch < MOMENT_MS; // else the text moved of itself
  if (isReader && scrollTop < before) readingBack.add(target);
  // A boxful from the end is near enough: who hurries after fast text never quite reaches it.
  else if (scrollTop > before && scrollHeight - scrollTop <= 2 * clientHeight) readingBack.delete(target);
  lastTop.set(target, scrollTop);
  target.toggleAttribute('data-scrolled', scrollTop > 0);
}

function noteTouch({ type, target, timeStamp }) {
  if (type === 'keydown' && target.matches?.('textarea, input, [contenteditable]')) return; // who writes does not scroll
  lastTouchAnywhere = timeStamp;
  if (target.closest?.(BOX)) lastTouch = timeStamp;
}

function follow() {
  for (const label of document.querySelectorAll('button.loading-shimmer[aria-expanded="true"]')) {
    const box = document.getElementById(label.getAttribute('aria-controls'))?.firstElementChild?.firstElementChild;
    if (box && !readingBack.has(box)) box.scrollTop = box.scrollHeight;
  }
}

// ---- So does the end of the page while a turn runs: Chainlit forgets what is not a message, such as buttons. ----

const NEAR_PX = 10;
const MARGIN_PX = 24;
let isAtEnd = true;
let lastBusy = -MOMENT_MS;

const page = () => document.querySelector('.step')?.closest('.overflow-y-auto');

// Below what was said Chainlit keeps room, so that a question can stand at the top: that is no end to scroll to.
function distanceToEnd(whole) {
  const last = [...document.querySelectorAll('.step')].at(-1);
  return last ? last.getBoundingClientRect().bottom - whole.getBoundingClientRect().bottom + MARGIN_PX : 0;
}

function noteEnd(whole, timeStamp) {
  if (distanceToEnd(whole) < NEAR_PX) isAtEnd = true;
  else if (timeStamp - lastTouchAnywhere < MOMENT_MS) isAtEnd = false; // else the page has grown, or moved of itself
}

function followPage() {
  const now = performance.now();
  if (document.getElementById('stop-button')) lastBusy = now;
  const isTouched = now - lastTouchAnywhere < MOMENT_MS;
  if (!isAtEnd || isTouched || now - lastBusy > MOMENT_MS) return;
  const whole = page();
  const rest = whole ? distanceToEnd(whole) : 0;
  if (rest >= NEAR_PX) whole.scrollTop += rest;
}

// ---- A whole turn folds to its last line where the reader wants it so, now and from then on. ----

const FOLDED = 'thinkglass-turns-folded';
const isFolded = new Map();

function turns() {
  const found = [];
  for (const step of document.querySelectorAll('.step[data-step-type]')) {
    if (step.dataset.stepType === 'user_message') found.push({ id: step.firstElementChild?.firstElementChild?.id, work: [] });
    const turn = found.at(-1);
    if (!turn || step.dataset.stepType.includes('message')) continue;
    if (hasIcon(step, 'timer', 'square')) turn.summary = step;
    else if (step.dataset.stepType !== 'undefined' || hasIcon(step, 'message-circle-dashed', 'rotate-ccw')) turn.work.push(step);
  }
  return found;
}

function foldTurns() {
  for (const { id, summary, work } of turns()) {
    if (!summary || !work.length) continue;
    if (!isFolded.has(id)) isFolded.set(id, localStorage.getItem(FOLDED) === 'yes');
    for (const step of work) step.toggleAttribute('data-folded', isFolded.get(id));
    nameFold(summary, id);
  }
}

function nameFold(summary, id) {
  const heading = summary.querySelector('h3');
  if (!heading) return;
  const button = heading.querySelector('.turn-fold') ?? buttonThat(() => toggleTurn(button, id), 'turn-fold', '');
  const text = isFolded.get(id) ? words.showSteps : words.hideSteps;
  if (button.textContent !== text) button.textContent = text;
  if (!button.isConnected) heading.append(button);
}

function toggleTurn(button, id) {
  const before = button.getBoundingClientRect().top;
  isFolded.set(id, !isFolded.get(id));
  localStorage.setItem(FOLDED, isFolded.get(id) ? 'yes' : 'no');
  foldTurns();
  let scroller = button.closest('.step').parentElement;
  while (scroller && scroller.scrollHeight <= scroller.clientHeight) scroller = scroller.parentElement;
  scroller?.scrollBy({ top: button.getBoundingClientRect().top - before, behavior: 'instant' });
}

// ---- All of it, once for each frame in which the page has changed. ----

let isPlanned = false;
function keepUp() {
  isPlanned = false;
  for (const keep of [keepTicking, fold, offerStop, foldTurns, followPage]) keep();
}

function plan() {
  follow(); // at once: on a slow machine the next frame brings the next lines
  if (isPlanned) return;
  isPlanned = true;
  requestAnimationFrame(keepUp);
}

const watching = { capture: true, passive: true };
document.addEventListener('click', noteChoice, watching);
document.addEventListener('scroll', noteScroll, watching);
document.addEventListener('load', plan, watching); // pictures have their height only now
for (const touch of ['wheel', 'touchmove', 'pointerdown', 'keydown']) document.addEventListener(touch, noteTouch, watching);
new MutationObserver(plan).observe(document.documentElement, {
  childList: true, subtree: true, characterData: true, attributeFilter: ['class']
});
plan();
