// Copying an answer: what the model wrote, without the marks that the renderer needs. The server has it.
import { announce } from './announce.js';
import { onTold, tell, words } from './words.js';

const PATIENCE = 2000;
const BUTTON = '[data-step-type="assistant_message"] button:has(> svg.lucide-copy)';
const asked = new Map();

onTold('copied', ({ turn, text }) => asked.get(turn)?.(text));

function turnOf(answer) {
  const steps = [...document.querySelectorAll('[data-step-type]')];
  const question = steps.slice(0, steps.indexOf(answer)).findLast((step) => step.dataset.stepType === 'user_message');
  return question?.querySelector('[id^="step-"]')?.id.slice('step-'.length);
}

// What the model wrote, else what is to be read: a chat from before a restart is not known to the server.
function textOf(answer) {
  const turn = turnOf(answer);
  return new Promise((resolve) => {
    const shown = answer.querySelector('.message-content').innerText;
    const timer = setTimeout(() => resolve(shown), PATIENCE);
    asked.set(turn, (text) => { clearTimeout(timer); asked.delete(turn); resolve(text || shown); });
    tell('copy', { turn });
  });
}

async function copy(text) {
  if (navigator.clipboard?.write && window.ClipboardItem) {
    const plain = text.then((words_) => new Blob([words_], { type: 'text/plain' }));
    return navigator.clipboard.write([new ClipboardItem({ 'text/plain': plain })]);
  }
  const area = document.createElement('textarea'); // not on https: the old way
  area.value = await text;
  document.body.append(area);
  area.select();
  const worked = document.execCommand('copy');
  area.remove();
  if (!worked) throw new Error('execCommand');
}

document.addEventListener('click', async (event) => {
  const button = event.target.closest?.(BUTTON);
  if (!button || button.closest('.message-content')) return; // a code block has a button of its own
  event.preventDefault();
  event.stopImmediatePropagation();
  try {
    await copy(textOf(button.closest('[data-step-type]')));
    button.dataset.copied = '';
    announce(words.copied);
    setTimeout(() => delete button.dataset.copied, 2000);
  } catch {
    announce(words.notCopied);
  }
}, true);
