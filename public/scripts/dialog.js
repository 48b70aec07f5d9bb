// Small dialogs of the page's own scripts.
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// A dialog with a title; a click beside it closes it, as Esc does. It is part of the page only while it is open.
export function dialogOf(id, title, ...children) {
  const dialog = element('dialog', { id, className: 'small-dialog' }, element('h2', { id: `${id}-title`, textContent: title }), ...children);
  dialog.setAttribute('aria-labelledby', `${id}-title`);
  dialog.addEventListener('click', ({ target }) => { if (target === dialog) dialog.close(); });
  dialog.addEventListener('close', () => dialog.remove());
  return dialog;
}

export function open(dialog) {
  document.body.append(dialog);
  dialog.showModal();
}
