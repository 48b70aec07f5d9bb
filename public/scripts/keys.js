// Keys: Esc stops the answer, Ctrl+Shift+O begins a new chat, Ctrl+/ shows the keys. And a dialog that says so.
import { focusBox } from './composer.js';
import { dialogOf, element, open } from './dialog.js';
import { tell, words } from './words.js';

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const OPEN = 'dialog[open], [role="dialog"][data-state="open"], [role="menu"], [role="listbox"], [role="alertdialog"]';

function keyList() {
  const pairs = words.rows.map(([keys, meaning]) => {
    const parts = keys.replace('{ctrl}', isMac ? '⌘' : 'Ctrl').split(' + ');
    const shown = parts.flatMap((key, at) => (at ? [' + ', element('kbd', { textContent: key })] : [element('kbd', { textContent: key })]));
    return element('div', {}, element('dt', {}, ...shown), element('dd', { textContent: meaning }));
  });
  return element('dl', {}, ...pairs);
}

const check = element('button', { type: 'button', textContent: words.check });
const close = element('button', { type: 'button', textContent: words.close, autofocus: true });
const dialog = dialogOf('keys', words.keys, keyList(), element('footer', {}, check, close));

check.onclick = () => { dialog.close(); tell('check'); };
close.onclick = () => dialog.close();
dialog.addEventListener('close', focusBox);

function newChat() {
  document.querySelector('#new-chat-button')?.click();
}

window.addEventListener('keydown', (event) => {
  if (event.isComposing) return;
  const withControl = event.ctrlKey || event.metaKey;
  if (withControl && event.key === '/') {
    event.preventDefault();
    if (dialog.open) dialog.close();
    else if (!document.querySelector(OPEN)) open(dialog);
  } else if (withControl && event.shiftKey && event.code === 'KeyO') {
    event.preventDefault();
    if (!document.querySelector(OPEN)) newChat();
  } else if (event.key === 'Escape' && !document.querySelector(OPEN)) {
    const stop = document.querySelector('#stop-button');
    if (stop) event.preventDefault();
    stop?.click();
  }
}, true);

// What can be done with a chat in the list opens by the pointer alone.
window.addEventListener('keydown', (event) => {
  const chat = event.target.closest?.('li[id^="thread-"]');
  if (!chat || !(event.key === 'ContextMenu' || (event.shiftKey && event.key === 'F10'))) return;
  event.preventDefault();
  chat.querySelector('[id="thread-options"]')?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0 }));
}, true);

// Chainlit's question before a new chat takes every key for itself: nobody can Tab to "Cancel", and Enter always means yes.
window.addEventListener('keydown', (event) => {
  if (event.target.closest?.('#new-chat-dialog') && ['Tab', 'Enter', ' '].includes(event.key)) event.stopImmediatePropagation();
}, true);

document.addEventListener('click', (event) => {
  if (event.target.closest?.('#new-chat-dialog #confirm')) setTimeout(focusBox, 300);
  if (!event.target.closest?.('a[href$="#keys"]')) return;
  event.preventDefault();
  open(dialog);
}, true);
