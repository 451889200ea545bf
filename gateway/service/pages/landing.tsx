/** The start page of the service: what it is, its pages, and how to start. */
import type { Markup } from '../../html/markup.ts'
import { framedPage } from './page-frame.tsx'
import { descriptionsOf, placesOf, type IsServed } from './service-links.tsx'

export interface LandingFacts {
  /** The origin of this service, as the reader reached it. */
  readonly origin: string
  /** A key that the reader may use, or a placeholder for one. */
  readonly key: string
  /** A sentence about that key, or an empty text. */
  readonly keyIs: string
  readonly isServed: IsServed
}

export const landingPage = (facts: LandingFacts): string =>
  framedPage({
    title: 'Troupe · self-hosted cloud browsers',
    heading: 'Troupe',
    lead: (
      <>
        Cloud browsers of your own. A session is a warm Chromium from a pool. Attach any client of
        the Chrome DevTools Protocol to its <code>cdp_url</code>, or open its{' '}
        <code>live_view_url</code> in this browser.
      </>
    ),
    children: (
      <>
        {placesOf(facts.isServed)}
        {steps(facts)}
        {descriptionsOf(facts.isServed)}
      </>
    ),
  })

const steps = ({ origin, key, keyIs }: LandingFacts): Markup => (
  <>
    <Step n={1} id="create" heading="Create a session" code={createCode(origin, key)}>
      {keyIs} Make a key of your own on the service’s host:{' '}
      <code>npm run troupe -- keys create --tenant me --name first</code>
    </Step>
    <Step n={2} id="connect" heading="Drive it with Playwright" code={playwrightCode(origin, key)}>
      Or let the connection make the session, which then ends with it:{' '}
      <code>{`chromium.connectOverCDP('${origin}/?apiKey=${key}')`}</code>
    </Step>
    <Step n={3} id="end" heading="End it" code={endCode(origin, key)}>
      Or leave it: five minutes after the last connection closed, or twenty minutes after its
      creation, it ends by itself. You can set both times when you create it.
    </Step>
    <Step n={4} id="task" heading="Or give it a goal" code={taskCode(origin, key)}>
      The answer comes when the model has reached the goal.
    </Step>
    <Step n={5} id="agent" heading="Or connect your own agent" code={agentCode(origin, key)}>
      Any client of the Model Context Protocol will do; the README says how for each.
    </Step>
  </>
)

interface StepProps {
  readonly n: number
  readonly id: string
  readonly heading: string
  readonly code: string
  readonly children: Markup
}

const Step = ({ n, id, heading, code, children }: StepProps) => (
  <section aria-labelledby={id}>
    <h2 id={id}>
      <span class="step">{n}</span> {heading}
    </h2>
    <pre tabindex={0}>
      <code>{code}</code>
    </pre>
    <p>{children}</p>
  </section>
)

const createCode = (origin: string, key: string) => `curl -X POST ${origin}/v1/sessions \\
  -H 'service-api-key: ${key}'`

const playwrightCode = (origin: string, key: string) => `import { chromium } from 'playwright-core'

const headers = { 'service-api-key': '${key}' }
const sessions = '${origin}/v1/sessions'
const created = await fetch(sessions, { method: 'POST', headers })
const { data } = await created.json()

const browser = await chromium.connectOverCDP(data.cdp_url)
const page = browser.contexts()[0].pages()[0]
await page.goto('${origin}/demo')
console.log(await page.title())`

const endCode = (origin: string, key: string) => `curl -X DELETE ${origin}/v1/sessions/all \\
  -H 'service-api-key: ${key}'`

const taskCode = (
  origin: string,
  key: string,
) => `npm run troupe -- credentials set openai    # once: asks for the key

curl -X POST ${origin}/v1/tools/perform-web-task \\
  -H 'service-api-key: ${key}' \\
  -H 'content-type: application/json' \\
  -d '{"prompt": "What is the newest version of Node.js?",
       "url": "https://nodejs.org", "provider": "openai"}'`

const agentCode = (
  origin: string,
  key: string,
) => `claude mcp add --transport http troupe ${origin}/mcp \\
  --header 'Authorization: Bearer ${key}'`
