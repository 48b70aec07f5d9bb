// Says to those who hear the page what goes on: that the model thinks, which tool is used, and the answer, once and whole.
import { onChange, words } from './words.js';

const MOMENT = 700;

// In a closed room of its own, so that the page does not hold the answer twice for whoever selects or searches it.
const host = document.createElement('div');
host.id = 'announcer';
host.className = 'sr-only';
const region = document.createElement('div');
region.setAttribute('role', 'status');
region.setAttribute('aria-live', 'polite');
host.attachShadow({ mode: 'closed' }).append(region);
document.body.append(host);

export function announce(text) {
  region.textContent = text;
}

const withoutNumbers = (text) => text.replace(/\d+/g, '');

let wasBusy = false;
let toldStep = '';
let timer = 0;

function tellStep() {
  timer = 0;
  const step = [...document.querySelectorAll('.loading-shimmer[id^="step-"]')].at(-1)?.innerText.trim() ?? '';
  if (!step || withoutNumbers(step) === toldStep) return;
  toldStep = withoutNumbers(step);
  announce(step);
}

function tellEnd() {
  const steps = [...document.querySelectorAll('[data-step-type]')];
  const question = steps.findLastIndex((step) => step.dataset.stepType === 'user_message');
  const after = steps.slice(question + 1);
  const answer = after.findLast((step) => step.dataset.stepType === 'assistant_message');
  const text = answer?.querySelector('.message-content')?.innerText.trim();
  announce(text ? words.answer.replace('{text}', () => text) : (after.at(-1)?.innerText.trim() ?? words.stopped));
}

onChange(() => {
  const isBusy = Boolean(document.querySelector('#stop-button'));
  if (wasBusy && !isBusy) {
    toldStep = '';
    setTimeout(tellEnd, MOMENT); // the last pieces come with the end
  }
  wasBusy = isBusy;
  // What lasts no moment is not worth a word.
  if (isBusy && !timer) timer = setTimeout(tellStep, MOMENT);
});
