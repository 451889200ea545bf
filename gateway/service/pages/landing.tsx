/** The start page of the service: what it is, what it looks like, and how to start. */
import type { Markup } from '../../html/markup.ts'
import { KeyVariableHint } from '../../html/code/code-sample.tsx'
import { framedPage } from './page-frame.tsx'
import {
  descriptionsOf,
  LinkCard,
  placesOf,
  type IsServed,
  type ServiceLink,
} from './service-links.tsx'
import { waysToStart, type StartFacts } from './ways-to-start.tsx'

export interface LandingFacts extends StartFacts {
  /** A sentence about the key in the lines of code, or an empty text. */
  readonly keyIs: string
  readonly isServed: IsServed
}

export const landingPage = (facts: LandingFacts): string =>
  framedPage({
    title: 'Troupe · self-hosted cloud browsers',
    heading: 'Troupe',
    sheet: '/web/landing.css',
    modules: ['/web/landing/main.js'],
    bodyClass: 'landing',
    lead: (
      <>
        Cloud browsers of your own. A session is a warm Chromium from a pool: drive it from your
        code, give it to an agent, or watch it and take over in this browser.
      </>
    ),
    children: (
      <>
        {placesOf(facts.isServed)}
        {pictures}
        {start(facts)}
        {parts}
        {scopedAccess(facts.isServed)}
        {descriptionsOf(facts.isServed)}
      </>
    ),
  })

/** Made by `test/screenshots/landing.ts`, of a service as it is. */
const Picture = ({ name, alt, children }: { name: string; alt: string; children: Markup }) => (
  <figure>
    <picture>
      <source
        srcset={`/web/landing/pictures/${name}-dark.webp`}
        media="(prefers-color-scheme: dark)"
      />
      <img src={`/web/landing/pictures/${name}-light.webp`} alt={alt} width="1200" height="750" />
    </picture>
    <figcaption>{children}</figcaption>
  </figure>
)

const pictures = (
  <section class="pictures" aria-label="Pictures">
    <Picture
      name="live"
      alt="The live view of a session: the desktop of a Chromium with a page, below a bar with the session’s id, its tabs and buttons to share and to end it."
    >
      The <a href="/docs/guides/live-view">live view</a>: watch a session, take over, share it.
    </Picture>
    <Picture
      name="console"
      alt="The console’s list of sessions, with a small picture of each page, its state, age and key."
    >
      The <a href="/console">console</a>: sessions, tasks, recordings and usage.
    </Picture>
  </section>
)

const start = (facts: LandingFacts): Markup => (
  <section aria-labelledby="start">
    <h2 id="start">Start here</h2>
    {waysToStart(facts)}
    <p>
      {facts.keyIs} Make a key of your own on the service’s host:{' '}
      <code>npm run troupe -- keys create --tenant me --name first</code>
    </p>
    <KeyVariableHint usesDevKey={facts.usesDevKey} />
    <p class="quiet">
      A session ends by itself five minutes after its last connection has closed, or twenty minutes
      after its creation; you can set both times. <a href="/docs/guides/first-session">More</a>
    </p>
  </section>
)

/** The guides that newcomers look for first. */
const firstGuides: readonly ServiceLink[] = [
  {
    path: '/docs/guides/setup',
    name: 'Set up',
    text: 'device, place, language, blocking, extensions',
  },
  {
    path: '/docs/guides/logins',
    name: 'Stay logged in',
    text: 'profiles, stored logins, one-time codes',
  },
  { path: '/docs/guides/os-input', name: 'OS input', text: 'mouse and keyboard of a real desktop' },
  { path: '/docs/guides/recordings', name: 'Recordings', text: 'every session again, as a video' },
  { path: '/docs/guides/tasks', name: 'Web tasks', text: 'a goal in words, every step streamed' },
  {
    path: '/docs/guides/several-hosts',
    name: 'Several hosts',
    text: 'one service from many machines',
  },
]

const parts = (
  <section aria-labelledby="parts">
    <h2 id="parts">What it can do</h2>
    <ul class="parts">
      {firstGuides.map((link) => (
        <li>
          <LinkCard {...link} />
        </li>
      ))}
    </ul>
  </section>
)

const scopedAccess = (isServed: IsServed): Markup => (
  <section aria-labelledby="access">
    <h2 id="access">Scoped access</h2>
    <p>
      People and programs who work for a client get exactly the records that a reviewed grant names,
      for as long as it lasts, and the client can read what was done with them. It is here because
      whoever lets browsers act in a client’s name has to be able to say who may do what, and who
      did. <a href="/docs/guides/agencies">Guide for agencies</a>
      {isServed('/portal') ? (
        <>
          {' · '}
          <a href="/portal">Portal</a>
        </>
      ) : (
        ''
      )}
    </p>
  </section>
)
