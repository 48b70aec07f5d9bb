// Names and landmarks for those who hear the page: Chainlit leaves many of its buttons without, or has them in English,
// as it has what it says of files that can't be sent.
import { onChange, words } from './words.js';

const NAMES = [
  ['#chat-input', words.composer],
  ['#edit-chat-input', words.editBox],
  ['#chat-submit', words.send],
  ['#stop-button', words.stop],
  ['#new-chat-button', words.newChat],
  ['#theme-toggle', words.theme],
  ['#upload-button', words.attach],
  ['#chat-settings-open-modal', words.settings],
  ['#chat-profiles', words.way],
  ['button.edit-message', words.edit],
  ['.message-content button:has(> svg.lucide-copy)', words.copyCode],
  ['.-ml-1\\.5 > button:has(> svg.lucide-copy)', words.copy],
  ['button:has(> svg.lucide-arrow-down)', words.down],
  ['label button:has(> svg.lucide-info)', words.about],
  ['#chat-settings [role="radiogroup"]', words.choices],
  ['[cmdk-list]', words.choices],
  ['section[aria-live][aria-label^="Notifications"]', words.notices],
  ['#sidebar-trigger-button', words.sidebar],
  ['#search-chats-button', words.search],
  ['[data-sidebar="sidebar"]', words.sidebar],
  ['.positive-feedback-off, .positive-feedback-on', words.good],
  ['.negative-feedback-off, .negative-feedback-on', words.bad],
  ['main', words.page],
  ['#mode-picker-popover-model', words.model],
  ['#mode-picker-popover-effort', words.effort],
];
const SCREEN_READER_TEXTS = [
  ['#theme-toggle .sr-only', words.theme],
  ['[role="dialog"] > button > .sr-only', words.close],
];
const ROLES = [
  ['#header', 'navigation', words.header],
  ['#root div:has(> #header) > [data-panel-group]:not(main *)', 'main', words.page],
  ['#upload-button', 'button', words.attach],
  ['[data-sidebar="sidebar"]:not([data-mobile])', 'navigation', words.sidebar],
  ['[id="thread-options"]', 'button', words.more],
];

const NOTICES = [
  [/^File type must be .*/s, words.badKind],
  [/^File is larger than (.*)/, words.tooLarge],
  [/^Too many files.*/, words.tooMany],
  [/: (Session not found|Upload error)$/, words.notSent],
  [/^Couldn't resume chat.*/s, words.noSuchChat],
];

function name(selector, text) {
  for (const element of document.querySelectorAll(selector)) {
    if (element.getAttribute('aria-label') !== text) element.setAttribute('aria-label', text);
  }
}

function rewordNotices() {
  for (const notice of document.querySelectorAll('[data-sonner-toast] [data-title]')) {
    const text = NOTICES.reduce((said, [from, to]) => said.replace(from, to), notice.textContent);
    if (text !== notice.textContent) notice.textContent = text;
  }
}

function nameSheets() {
  for (const sheet of document.querySelectorAll('[data-sidebar="sidebar"][data-mobile]')) sheet.removeAttribute('aria-labelledby');
}

function tidy() {
  nameSheets();
  rewordNotices();
  for (const [selector, text] of NAMES) name(selector, text);
  for (const [selector, text] of SCREEN_READER_TEXTS) {
    for (const element of document.querySelectorAll(selector)) if (element.textContent !== text) element.textContent = text;
  }
  for (const [selector, role, text] of ROLES) {
    for (const element of document.querySelectorAll(selector)) {
      element.setAttribute('role', role);
      element.setAttribute('aria-label', text);
    }
  }
  // A picker's button says only what is chosen.
  for (const button of document.querySelectorAll('#mode-picker-trigger-model')) {
    const label = `${words.model}: ${button.innerText.trim()}`;
    if (button.getAttribute('aria-label') !== label) button.setAttribute('aria-label', label);
  }
  // Every opened step is a landmark, and many have the same title. An empty corner of a table is no heading.
  document.querySelectorAll('.step [role="region"]').forEach((text, at) => {
    const label = `${at + 1}. ${text.previousElementSibling?.innerText.trim()}`;
    text.removeAttribute('aria-labelledby');
    if (text.getAttribute('aria-label') !== label) text.setAttribute('aria-label', label);
  });
  for (const list of document.querySelectorAll('ul[data-sidebar="menu"]:has(> div)')) list.setAttribute('role', 'none');
  for (const corner of document.querySelectorAll('th:empty:not([role])')) corner.setAttribute('role', 'cell');
  // A step's title is no chapter of the page.
  for (const heading of document.querySelectorAll('.step h3[data-orientation]:not([role])')) heading.setAttribute('role', 'presentation');
}

const heading = document.createElement('h1');
heading.className = 'sr-only';
heading.textContent = document.title;
const banner = document.createElement('div');
banner.setAttribute('role', 'banner');
banner.append(heading);
document.body.prepend(banner);

onChange(tidy);
