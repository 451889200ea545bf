/** Code samples that create a session, or attach to one, in four languages or tools. */
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { curlPost } from './curl-lines.ts'

export interface CodeLines {
  readonly name: 'shell' | 'playwright' | 'puppeteer' | 'playwright-python'
  readonly label: string
  readonly text: string
}

export interface CreationFacts {
  /** For example `https://browsers.example.com`. */
  readonly origin: string
  /** The creation body; empty for a session with all defaults. */
  readonly body: Readonly<Record<string, unknown>>
  /** The page that the lines open. */
  readonly page?: string
  /** Whether the well-known development key works here; otherwise the lines read TROUPE_KEY. */
  readonly usesDevKey: boolean
}

const usualPage = 'https://example.com'

const isEmpty = (body: object) => Object.keys(body).length === 0

export function creationLines(facts: CreationFacts): readonly CodeLines[] {
  return [
    {
      name: 'shell',
      label: 'Shell, with curl',
      text: curlPost({ ...facts, path: '/v1/sessions' }),
    },
    { name: 'playwright', label: 'Playwright', text: `${playwrightHead}\n\n${playwright(facts)}` },
    { name: 'puppeteer', label: 'Puppeteer', text: `${puppeteerHead}\n\n${puppeteer(facts)}` },
    { name: 'playwright-python', label: 'Python', text: pythonLines(facts) },
  ]
}

const playwrightHead = "import { chromium } from 'playwright-core'"
const puppeteerHead = "import puppeteer from 'puppeteer-core'"

function createInNode({ origin, body, usesDevKey }: CreationFacts): string {
  const key = usesDevKey ? `'${devKey}'` : 'process.env.TROUPE_KEY'
  const headers = isEmpty(body)
    ? `{ 'service-api-key': ${key} }`
    : `{ 'service-api-key': ${key}, 'content-type': 'application/json' }`
  const lines = ["  method: 'POST',", `  headers: ${headers},`]
  if (!isEmpty(body)) {
    const text = JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')
    lines.push(`  body: JSON.stringify(${text}),`)
  }
  return [
    `const answer = await fetch('${origin}/v1/sessions', {`,
    ...lines,
    '})',
    'const { data: session } = await answer.json()',
  ].join('\n')
}

const playwright = (facts: CreationFacts) =>
  `${createInNode(facts)}\n\n${attachPlaywright('session.cdp_url', facts.page)}`

const puppeteer = (facts: CreationFacts) =>
  `${createInNode(facts)}\n\n${attachPuppeteer('session.cdp_url', facts.page)}`

const attachPlaywright = (url: string, page = usualPage) =>
  [
    `const browser = await chromium.connectOverCDP(${url})`,
    'const [page] = browser.contexts()[0].pages()',
    `await page.goto('${page}')`,
    'console.log(await page.title())',
    'await browser.close() // disconnects; the session stays',
  ].join('\n')

const attachPuppeteer = (url: string, page = usualPage) =>
  [
    'const browser = await puppeteer.connect({',
    `  browserWSEndpoint: ${url},`,
    '  defaultViewport: null,',
    '})',
    'const [page] = await browser.pages()',
    `await page.goto('${page}')`,
    'console.log(await page.title())',
    'await browser.disconnect() // the session stays',
  ].join('\n')

function pythonLines({ origin, body, page, usesDevKey }: CreationFacts): string {
  const key = usesDevKey ? `"${devKey}"` : 'os.environ["TROUPE_KEY"]'
  return [
    ...(usesDevKey ? [] : ['import os']),
    'import requests',
    'from playwright.sync_api import sync_playwright',
    '',
    'session = requests.post(',
    `    "${origin}/v1/sessions",`,
    `    headers={"service-api-key": ${key}},`,
    ...(isEmpty(body) ? [] : [`    json=${inPython(body, 4)},`]),
    ').json()["data"]',
    '',
    attachPython('session["cdp_url"]', page),
  ].join('\n')
}

const attachPython = (url: string, page = usualPage) =>
  [
    'with sync_playwright() as playwright:',
    `    browser = playwright.chromium.connect_over_cdp(${url})`,
    '    page = browser.contexts[0].pages[0]',
    `    page.goto("${page}")`,
    '    print(page.title())',
  ].join('\n')

/** Formats JSON as a Python literal, with the lines after the first indented. */
function inPython(value: unknown, indent: number): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null) return 'None'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = ' '.repeat(indent + 4)
  const parts = Array.isArray(value)
    ? value.map((item) => `${inner}${inPython(item, indent + 4)},`)
    : Object.entries(value).map(
        ([name, item]) => `${inner}${JSON.stringify(name)}: ${inPython(item, indent + 4)},`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return [open, ...parts, `${' '.repeat(indent)}${close}`].join('\n')
}

/** Code that attaches to a running session. */
export function attachLines(cdpUrl: string): readonly CodeLines[] {
  const url = `'${cdpUrl}'`
  return [
    {
      name: 'playwright',
      label: 'Playwright',
      text: `${playwrightHead}\n\n${attachPlaywright(url)}`,
    },
    { name: 'puppeteer', label: 'Puppeteer', text: `${puppeteerHead}\n\n${attachPuppeteer(url)}` },
    {
      name: 'playwright-python',
      label: 'Python',
      text: `from playwright.sync_api import sync_playwright\n\n${attachPython(`"${cdpUrl}"`)}`,
    },
  ]
}
