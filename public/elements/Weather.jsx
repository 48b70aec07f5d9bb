// The weather at a place: now, and day by day. All words come from the server, in the reader's language.
import {
  Cloud, CloudDrizzle, CloudFog, CloudHail, CloudLightning, CloudMoon, CloudRain, CloudSnow, CloudSun, Droplets, Moon,
  Sun, Wind
} from 'lucide-react';

const SKIES = {
  clear: Sun, partly_cloudy: CloudSun, cloudy: Cloud, fog: CloudFog, drizzle: CloudDrizzle, rain: CloudRain,
  sleet: CloudHail, snow: CloudSnow, thunderstorm: CloudLightning
};
const NIGHT_SKIES = { clear: Moon, partly_cloudy: CloudMoon };
const FACTS = { Droplets, Wind };

function Sky({ sky, isDay = true }) {
  const Icon = (!isDay && NIGHT_SKIES[sky]) || SKIES[sky] || Cloud;
  return <Icon className="tg-sky" data-sky={sky} data-night={isDay ? undefined : ''} aria-hidden="true" />;
}

function Day({ day }) {
  return (
    <li>
      <span className="tg-day">{day.name}</span>
      <Sky sky={day.sky} />
      <span className="sr-only">{day.condition}, </span>
      <span className="tg-high">{day.high}</span>
      <span className="tg-low">{day.low}</span>
      <span className="tg-chance" title={day.chance ? props.rainChance : undefined}>
        {day.chance ? <span className="sr-only">{props.rainChance} </span> : null}
        {day.chance}
      </span>
    </li>
  );
}

export default function Weather() {
  return (
    <section className="tg-card tg-weather" aria-label={props.label}>
      <header>
        <div>
          <p className="tg-title">{props.place}</p>
          <p className="tg-quiet">{props.when}</p>
        </div>
        <p className="tg-quiet">{props.source}</p>
      </header>
      <div className="tg-now">
        <Sky sky={props.sky} isDay={props.isDay} />
        <p className="tg-temperature">
          {props.temperature.replace('°', '')}
          <span>{props.unit}</span>
        </p>
        <div>
          <p className="tg-condition">{props.condition}</p>
          <p className="tg-quiet">{props.feelsLike}</p>
        </div>
        <dl>
          {props.facts.map(({ icon, name, value }) => {
            const Icon = FACTS[icon];
            return (
              <div key={name} title={name}>
                <dt><Icon aria-hidden="true" /><span className="sr-only">{name}</span></dt>
                <dd>{value}</dd>
              </div>
            );
          })}
        </dl>
      </div>
      {props.days.length > 1 ? <ul>{props.days.map((day) => <Day key={day.date} day={day} />)}</ul> : null}
    </section>
  );
}
