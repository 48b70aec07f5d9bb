// On a phone the list of chats is read only when it is opened; Chainlit then moves to the address of the running chat,
// builds the page anew, and the list is shut again. It is opened once more.
import { onChange } from './words.js';

const MOMENT_MS = 1500;
const SETTLED_MS = 150; // until the new page knows that it is on a phone
const sheet = () => document.querySelector('[data-sidebar="sidebar"][data-mobile="true"]');
let openedAt = -MOMENT_MS;
let wasOpen = false;

document.addEventListener('click', ({ target, isTrusted, timeStamp }) => {
  if (isTrusted) openedAt = target.closest?.('#sidebar-trigger-button') && !sheet() ? timeStamp : -MOMENT_MS;
}, true);

document.addEventListener('keydown', () => { openedAt = -MOMENT_MS; }, true);

function openAgain() {
  document.querySelector('#header #sidebar-trigger-button')?.click();
}

onChange(() => {
  const isOpen = Boolean(sheet());
  if (wasOpen && !isOpen && performance.now() - openedAt < MOMENT_MS) {
    openedAt = -MOMENT_MS;
    setTimeout(openAgain, SETTLED_MS);
  }
  wasOpen = isOpen;
});
