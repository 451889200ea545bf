/** The ways to use a session, as code to copy, one shown at a time. */
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { CodeSample } from '../../html/code/code-sample.tsx'
import { creationLines } from '../../html/code/code-lines.ts'
import { curlPost } from '../../html/code/curl-lines.ts'
import type { Markup } from '../../html/markup.ts'

export interface StartFacts {
  /** The origin of this service, as the reader reached it. */
  readonly origin: string
  /** Whether the well-known development key works for the reader. */
  readonly usesDevKey: boolean
}

interface Way {
  readonly name: string
  /** Of its tab. */
  readonly tab: string
  readonly text: string
  readonly note: Markup
}

/** Tabs that need no script: the code of the one that is chosen is shown. */
export const waysToStart = (facts: StartFacts): Markup => (
  <fieldset class="ways">
    <legend class="hidden">How</legend>
    {waysOf(facts).map(({ name, tab, text, note }, at) => (
      <>
        <input type="radio" name="way" id={`way-${name}`} checked={at === 0} autocomplete="off" />
        <label for={`way-${name}`}>{tab}</label>
        <div class="way">
          <CodeSample id={`code-${name}`} label={tab} text={text} />
          <p>{note}</p>
        </div>
      </>
    ))}
  </fieldset>
)

function waysOf(facts: StartFacts): readonly Way[] {
  const samples = creationLines({ ...facts, body: {}, page: `${facts.origin}/demo` })
  const textOf = (name: string) => samples.find((sample) => sample.name === name)!.text
  const guide = (name: string, label: string) => <a href={`/docs/guides/${name}`}>{label}</a>
  return [
    {
      ...{ name: 'curl', tab: 'curl', text: textOf('shell') },
      note: (
        <>
          The answer has its <code>cdp_url</code>, for any client of the Chrome DevTools Protocol,
          and its <code>live_view_url</code>, to open in this browser.
        </>
      ),
    },
    {
      ...{ name: 'playwright', tab: 'Playwright', text: textOf('playwright') },
      note: <>Or let the connection make the session: {guide('cdp-clients', 'CDP clients')}.</>,
    },
    {
      ...{ name: 'puppeteer', tab: 'Puppeteer', text: textOf('puppeteer') },
      note: <>Or send one function: {guide('scripts', 'scripts')}.</>,
    },
    {
      ...{ name: 'python', tab: 'Python', text: textOf('playwright-python') },
      note: <>Go, Java and .NET are in {guide('cdp-clients', 'CDP clients')}.</>,
    },
    {
      ...{ name: 'mcp', tab: 'MCP', text: mcpLines(facts) },
      note: <>The browser as tools, for every client of the protocol: {guide('mcp', 'MCP')}.</>,
    },
    {
      ...{ name: 'shell', tab: 'Shell', text: shellLines(facts) },
      note: <>For agents and scripts with a shell: {guide('shell', 'from a shell')}.</>,
    },
    {
      ...{ name: 'task', tab: 'Web task', text: taskLines(facts) },
      note: <>The answer comes when the model has reached the goal: {guide('tasks', 'tasks')}.</>,
    },
  ]
}

const keyOf = ({ usesDevKey }: StartFacts) => (usesDevKey ? devKey : '$TROUPE_KEY')

const mcpLines = (
  facts: StartFacts,
) => `claude mcp add --transport http troupe ${facts.origin}/mcp \\
  --header "Authorization: Bearer ${keyOf(facts)}"`

const shellLines = (
  facts: StartFacts,
) => `export SVC_BASE=${facts.origin} SVC_API_KEY=${keyOf(facts)}
npm run troupe -- browser open ${facts.origin}/demo
npm run troupe -- browser snapshot
npm run troupe -- browser close`

const taskLines = (
  facts: StartFacts,
) => `npm run troupe -- credentials set openai    # once: asks for the key

${curlPost({
  ...facts,
  path: '/v1/tools/perform-web-task',
  body: {
    prompt: 'What is the newest version of Node.js?',
    url: 'https://nodejs.org',
    provider: 'openai',
  },
})}`
