// What a figure shows, in words, above it.
export default function Caption() {
  return <p className="tg-caption">{props.text}</p>;
}
