// Asks whether a tool may run. All words and values come as props and are shown as plain text, never as markup;
// what an answer does is decided by the server, which knows the request by its id.
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';

const CHOICES = [['allow', 'outline'], ['deny', 'outline'], ['always', 'ghost']];
const SETTLE_MS = 500; // so that a click or a key meant for what stood here before answers nothing
const FOCUS_MS = 120; // after the message box has taken the focus back from the button that sent the message

export default function Consent() {
  const [state, setState] = useState('settling');
  const [note, setNote] = useState('');
  const [announced, setAnnounced] = useState('');
  const heading = useRef(null);
  const choices = useRef(null);
  const id = useId();

  useEffect(() => {
    const timers = [setTimeout(callAttention, FOCUS_MS), setTimeout(() => setState('open'), SETTLE_MS)];
    return () => timers.forEach(clearTimeout);
  }, []);

  function callAttention() {
    // Who is writing the next message is not torn away from it.
    if (document.querySelector('#chat-input')?.value) setAnnounced(`${props.heading} ${props.deed}`);
    else heading.current?.focus({ preventScroll: true });
    choices.current?.scrollIntoView({ block: 'nearest' });
  }

  async function answer(given) {
    if (state !== 'open') return;
    setState('sending');
    setNote('');
    try {
      const payload = { request: props.request, answer: given };
      const { response } = await callAction({ name: 'answer_consent', payload });
      setState('closed');
      if (!response) setNote(props.closed);
      document.querySelector('#chat-input')?.focus();
    } catch {
      setState('open');
      setNote(props.notSent);
    }
  }

  return (
    <section className="consent" role="group" aria-labelledby={`${id}-heading`} aria-describedby={`${id}-why`}>
      <h2 id={`${id}-heading`} ref={heading} tabIndex={-1}>{props.heading}</h2>
      <p className="consent-deed">{props.deed}</p>
      <p className="consent-why" id={`${id}-why`}>{props.why}</p>
      <p className="consent-what">{props.whatRuns}</p>
      <dl>
        {props.arguments.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd tabIndex={0} aria-label={`${name}: ${value}`}>{value}</dd>
          </div>
        ))}
      </dl>
      <div className="consent-choices" ref={choices}>
        {CHOICES.map(([choice, variant]) => (
          <Button key={choice} data-choice={choice} variant={variant} size="sm" type="button"
            disabled={state !== 'open'} onClick={() => answer(choice)}>
            {props[choice]}
          </Button>
        ))}
      </div>
      <p className="consent-note" role="status">{note}</p>
      <p className="sr-only" role="status">{announced}</p>
    </section>
  );
}
