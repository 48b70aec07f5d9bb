// The words of the page's own scripts, in English and Chinese.
const ENGLISH = {
  page: 'Chat',
  composer: 'Your message',
  header: 'Chat and page',
  send: 'Send',
  stop: 'Stop',
  second: 's',
  minute: 'min',
  hideSteps: 'Hide the steps',
  showSteps: 'Show the steps',
  newChat: 'New chat',
  theme: 'Light or dark',
  edit: 'Edit this message',
  copy: 'Copy',
  copyCode: 'Copy the code',
  copied: 'Copied',
  notCopied: 'The browser does not let this page copy.',
  settings: 'Settings',
  attach: 'Attach files',
  down: 'Go to the end',
  close: 'Close',
  about: 'About this setting',
  way: 'Way to chat',
  choices: 'Choices',
  notices: 'Notices',
  sidebar: 'Chats',
  search: 'Search the chats',
  more: 'Rename or delete this chat',
  good: 'A good answer',
  bad: 'A bad answer',
  editBox: 'Your message, changed',
  model: 'Model',
  effort: 'Thinking',
  badKind: 'This kind of file can’t be used here. These can: CSV, Excel (.xlsx), JSON, text, Markdown, PDF, Parquet, SQLite and pictures.',
  tooLarge: 'This file is too large: at most $1.',
  notSent: '. Please try again in a moment.',
  tooMany: 'Too many files at once. Please send fewer.',
  noSuchChat: 'This chat is not here, or not any more. Here is a new one.',
  waiting: 'Sent when this answer is done',
  next: 'Next:',
  takeBack: 'Take back',
  answer: 'Answer: {text}',
  stopped: 'Stopped',
  save: 'Save this answer',
  withThinking: 'with the thinking',
  withTools: 'with the tools',
  asHtml: 'Web page (HTML)',
  asMarkdown: 'Markdown',
  keys: 'Keys and help',
  check: 'Check the connection',
  rows: [
    ['Enter', 'Send; while an answer is being written, send afterwards'],
    ['Shift + Enter', 'New line'],
    ['Esc', 'Stop the answer'],
    ['{ctrl} + Shift + O', 'New chat'],
    ['Shift + F10', 'On a chat in the list: rename or delete it'],
    ['{ctrl} + /', 'Show these keys'],
    ['Tab', 'Go to the next button; Enter presses it'],
  ],
};

const CHINESE = {
  page: '对话',
  composer: '你的消息',
  header: '对话与页面',
  send: '发送',
  stop: '停止',
  second: '秒',
  minute: '分',
  hideSteps: '收起过程',
  showSteps: '展开过程',
  newChat: '新对话',
  theme: '浅色或深色',
  edit: '修改这条消息',
  copy: '复制',
  copyCode: '复制代码',
  copied: '已复制',
  notCopied: '浏览器不允许此页面复制。',
  settings: '设置',
  attach: '添加文件',
  down: '到最后',
  close: '关闭',
  about: '关于此项设置',
  way: '对话方式',
  choices: '选项',
  notices: '通知',
  sidebar: '对话列表',
  search: '搜索对话',
  more: '重命名或删除此对话',
  good: '回答得好',
  bad: '回答得不好',
  editBox: '修改后的消息',
  model: '模型',
  effort: '思考',
  badKind: '这里用不了这类文件。可以用的有：CSV、Excel（.xlsx）、JSON、文本、Markdown、PDF、Parquet、SQLite 和图片。',
  tooLarge: '文件太大了：最大 $1。',
  notSent: '，请稍后再试。',
  tooMany: '一次的文件太多了，请少发几个。',
  noSuchChat: '这个对话不在这里了，已为你打开一个新的。',
  waiting: '本次回答结束后发送',
  next: '接下来：',
  takeBack: '撤回',
  answer: '回答：{text}',
  stopped: '已停止',
  save: '保存这个回答',
  withThinking: '包括思考过程',
  withTools: '包括工具',
  asHtml: '网页（HTML）',
  asMarkdown: 'Markdown',
  keys: '按键与帮助',
  check: '检查连接',
  rows: [
    ['Enter', '发送；正在回答时，稍后发送'],
    ['Shift + Enter', '换行'],
    ['Esc', '停止回答'],
    ['{ctrl} + Shift + O', '新对话'],
    ['Shift + F10', '在对话列表中：重命名或删除'],
    ['{ctrl} + /', '显示这些按键'],
    ['Tab', '到下一个按钮，按 Enter 触发'],
  ],
};

if (!document.body) await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve, { once: true }));

export const words = /^(zh|cmn|yue|wuu|hak|nan)\b/i.test(navigator.language) ? CHINESE : ENGLISH;

// The server, by way of the page's window: Chainlit hands messages on in both directions.
export const tell = (what, facts = {}) => window.postMessage({ thinkglass: what, ...facts }, location.origin);

export function onTold(what, act) {
  window.addEventListener('message', (event) => {
    if (event.source !== window || event.data?.thinkglass !== what) return;
    event.stopImmediatePropagation(); // else Chainlit sends it back to the server
    act(event.data);
  }, true);
}

// Call `act` after changes of the page, at most once a frame.
export function onChange(act) {
  let isPlanned = false;
  const run = () => { isPlanned = false; act(); };
  new MutationObserver(() => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(run);
  }).observe(document.documentElement, { childList: true, subtree: true });
  act();
}
