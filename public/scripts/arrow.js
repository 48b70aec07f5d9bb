// The arrow to the end of a chat stands there only while that end is out of view: below what was said Chainlit keeps
// room, so that a question can stand at the top, and would show the arrow for the sake of that room too.
import { onChange } from './words.js';

const NEAR = '0px 0px 24px 0px';
let watched = null;
let observer = null;

function watch(whole, room) {
  observer?.disconnect();
  watched = room;
  if (!room) return;
  const tell = (entries) => whole.parentElement.toggleAttribute('data-end-in-view', entries.at(-1).isIntersecting);
  observer = new IntersectionObserver(tell, { root: whole, rootMargin: NEAR });
  observer.observe(room);
}

onChange(() => {
  const whole = document.querySelector('.step')?.closest('.overflow-y-auto');
  const room = whole?.lastElementChild ?? null;
  if (room !== watched) watch(whole, room);
});
