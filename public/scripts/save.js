// Saving an answer: asks what is to be in the file, and hands it to the browser. The server writes it.
import { dialogOf, element, open } from './dialog.js';
import { onTold, tell, words } from './words.js';

let turn = '';

const thinking = element('input', { type: 'checkbox' });
const tools = element('input', { type: 'checkbox' });
const asHtml = element('button', { type: 'button', textContent: words.asHtml, autofocus: true });
const asMarkdown = element('button', { type: 'button', textContent: words.asMarkdown });
const close = element('button', { type: 'button', textContent: words.close });
const dialog = dialogOf(
  'save', words.save,
  element('label', {}, thinking, words.withThinking),
  element('label', {}, tools, words.withTools),
  element('footer', {}, asHtml, asMarkdown, close),
);

function save(format) {
  dialog.close();
  tell('export', { turn, format, thinking: thinking.checked, tools: tools.checked });
}

asHtml.onclick = () => save('html');
asMarkdown.onclick = () => save('markdown');
close.onclick = () => dialog.close();

onTold('offer_export', (offer) => {
  turn = offer.turn;
  open(dialog);
});

onTold('download', ({ name, type, text }) => {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
});
