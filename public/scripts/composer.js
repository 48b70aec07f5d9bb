// The message box: what is sent while an answer is being written waits its turn, and the cursor comes back to the box.
// Chainlit takes nothing while a turn runs.
import { announce } from './announce.js';
import { onChange, tell, words } from './words.js';

const box = () => document.querySelector('#chat-input');
const isBusy = () => Boolean(document.querySelector('#stop-button'));
const hasMouse = matchMedia('(pointer: fine)');
const KEPT = 'thinkglass-waiting';
const waiting = leftWaiting();
let isLeft = waiting.length > 0;
let wasBusy = false;
let isSending = false;
let waitUntil = 0;
const PATIENCE = 2000;

const list = document.createElement('ul');
list.id = 'waiting-messages';
list.setAttribute('aria-label', words.waiting);

export function focusBox() {
  if (hasMouse.matches) box()?.focus();
}

function write(text) {
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set;
  set.call(box(), text); // React notices a change only when it comes as typing does
  box().dispatchEvent(new Event('input', { bubbles: true }));
}

function show() {
  keep();
  list.replaceChildren(...waiting.map((text, number) => {
    const item = document.createElement('li');
    item.dataset.label = words.next;
    const shown = document.createElement('span');
    shown.textContent = text;
    const back = document.createElement('button');
    back.type = 'button';
    back.textContent = words.takeBack;
    back.onclick = () => {
      waiting.splice(number, 1);
      show();
      write([box().value, text].filter(Boolean).join('\n'));
      focusBox();
    };
    item.append(shown, back);
    return item;
  }));
  const composer = document.querySelector('#message-composer');
  if (!waiting.length || !composer) return list.remove();
  if (list.nextElementSibling !== composer) composer.before(list);
}

// What waits outlives a page that is loaded anew. A copy of the tab must not send it a second time.
function keep() {
  sessionStorage.setItem(KEPT, JSON.stringify({ chat: location.pathname, texts: waiting }));
}

function leftWaiting() {
  const isReload = performance.getEntriesByType('navigation')[0]?.type === 'reload';
  const { chat, texts } = JSON.parse(sessionStorage.getItem(KEPT) ?? '{}');
  return isReload && chat === location.pathname && chat.includes('/thread/') ? texts : [];
}

const frame = () => new Promise(requestAnimationFrame);

async function sendNext() {
  const draft = box().value;
  const text = waiting.shift();
  isSending = true;
  beginWaiting();
  write(text);
  await frame();
  box()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await frame();
  if (box()?.value === text) waiting.unshift(text); // it was not taken: there is no connection now
  if (box()) write(draft);
  isSending = false;
  show();
}

function beginWaiting() {
  waitUntil = performance.now() + PATIENCE;
  setTimeout(goOn, PATIENCE + 100);
}

// The next may go when the turn of the last is over; until its turn has begun, that cannot be seen.
function goOn() {
  if (isBusy()) waitUntil = 0;
  else if (!isSending && waiting.length && performance.now() > waitUntil && document.querySelector('#chat-submit')) sendNext();
}

// A person who stops the answer wants to think again: what waited goes back into the box.
function takeAllBack() {
  if (!waiting.length) return;
  const texts = [...waiting.splice(0), box()?.value].filter(Boolean);
  show();
  if (box()) write(texts.join('\n'));
}

addEventListener('pagehide', keep);
document.addEventListener('keydown', (event) => {
  if (isSending || event.target.id !== 'chat-input' || event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  const text = event.target.value.trim();
  if (!isBusy() || !text || text.startsWith('/') && document.querySelector('#message-composer .command-item')) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  waiting.push(text);
  write('');
  show();
  announce(words.waiting);
}, true);

document.addEventListener('click', ({ target }) => {
  if (target.closest?.('#stop-button')) takeAllBack();
  if (target.closest?.('#new-chat-dialog #confirm')) waiting.splice(0); // it was meant for the chat that ends
  if (target.closest?.('#chat-submit, #stop-button, #starters button')) setTimeout(focusBox, 50);
  // The efforts to choose from are those of the model that is picked.
  const option = target.closest?.('#mode-picker-popover-model [role="option"]');
  if (option) tell('pick_model', { name: option.querySelector('.font-medium').textContent });
}, true);

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !event.target.closest?.('#mode-picker-popover-model')) return;
  const before = document.querySelector('#mode-picker-trigger-model')?.innerText;
  setTimeout(() => {
    const after = document.querySelector('#mode-picker-trigger-model')?.innerText.trim();
    if (after && after !== before?.trim()) tell('pick_model', { name: after });
  }, 100);
}, true);

// "Reset" means the settings that a new chat has; Chainlit only takes back what was just typed.
document.addEventListener('click', (event) => {
  const button = event.target.closest?.('#chat-settings button');
  if (!button || button !== document.querySelector('#chat-settings button:has(~ #confirm)')) return;
  event.stopImmediatePropagation();
  tell('reset_settings');
}, true);

onChange(() => {
  const busy = isBusy();
  if (isLeft && box()) {
    isLeft = false;
    beginWaiting(); // the chat may be there a moment before what runs in it
  }
  goOn();
  if (wasBusy && !busy && document.activeElement === document.body) focusBox();
  if (waiting.length && !list.isConnected) show();
  wasBusy = busy;
});
