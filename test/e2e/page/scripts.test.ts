/**
 * Goal: a script written for Puppeteer runs against the session and answers with a value, logs, and
 * errors with lines of its own; its time, memory and output are bounded, and nothing of it is left
 * or seen. Method: real Chromium on the fixture pages; what Chromium has is asked past all rules.
 */
import t from 'tap'
import { commandLimits } from '../../../proto/commands/limits.ts'
import { scriptLimits } from '../../../node-agent/scripts/limits.ts'
import { devtoolsUrl } from '../../helpers/browser/browser-host.ts'
import { connectRaw } from '../../helpers/browser/browsers.ts'
import { openFixtures } from '../../helpers/browser/page-session.ts'
import { until } from '../../helpers/lib/until.ts'

interface Targets {
  readonly targetInfos: readonly { readonly type: string; readonly url: string }[]
}

const { claim, run, refusal, see, open, pages } = await openFixtures(t)
const raw = await connectRaw(devtoolsUrl(claim))

const script = (code: string, more: object = {}) => run('run_script', { code, ...more })
const failed = (code: string, more: object = {}) => refusal('run_script', { code, ...more })

/** The pages of scripts that Chromium has. */
async function scriptPages() {
  const { targetInfos } = await raw.send<Targets>('Target.getTargets')
  return targetInfos.filter(({ type }) => type === 'other')
}

t.test('a loop over a table is one call, with arguments, a value and logs', async (t) => {
  await open('table')
  const code = `async ({ page, args, log }) => {
    log('on', await page.title(), { wanted: args.city })
    console.log('two')
    const orders = []
    for (const row of (await page.$$('#rows tr')).slice(0, args.rows)) {
      const [number, , city] = await row.$$eval('td', (cells) => cells.map((cell) => cell.textContent))
      if (city === args.city) orders.push(Number(number))
    }
    return { orders, none: undefined }
  }`
  t.match(await script(code, { arguments: { city: 'Lima', rows: 16 } }), {
    value: { orders: [1001, 1008, 1015] },
    logs: ['on Orders {"wanted":"Lima"}', 'two'],
    title: 'Orders',
    changes: '',
  })
})

t.test('it acts on the page and on tabs, and the answer says what changed', async (t) => {
  await open('form')
  const filled = await script(`export default async function ({ page }) {
    await page.type('input[name="name"]', 'Ada')
    return await page.$eval('input[name="name"]', (input) => input.value)
  };`)
  t.match(filled, { value: 'Ada', changes: /Ada/ })
  const opened = await script(
    `async ({ browser, args }) => {
      const page = await browser.newPage()
      await page.goto(args)
      const bytes = await page.screenshot()
      await browser.close()
      return { title: await Promise.resolve('left'), picture: bytes }
    }`,
    { arguments: pages.url('spans') },
  )
  const { picture } = opened.value as { picture: string }
  t.equal(Buffer.from(picture, 'base64').toString('latin1', 1, 4), 'PNG')
  const { tabs } = await run('tab_list')
  t.equal(tabs.length, 2, 'the session goes on, with the new tab')
  await run('tab_close', { tab: tabs.find(({ url }) => url === pages.url('spans'))!.id })
  t.equal((await script('() => undefined')).value, null)
})

t.test('errors have the lines of the caller’s code', async (t) => {
  await open('form')
  const thrown = await failed(`async ({ page, log }) => {
    log('before')
    async function inner() {
      await page.click('#nowhere')
    }
    await inner()
  }`)
  t.match(thrown, { type: 'script_failed', status: 422 })
  t.match(thrown.message, /^The script failed at line 4: Error: No element found.*#nowhere/)
  t.match(thrown.details, { line: 4, column: 7, logs: ['before'] })
  t.match(thrown.details['stack'], ['at inner (4:7)', 'at 6:5'])
  const first = await failed('async () => { null.x }')
  t.match(first.details, { line: 1, column: 20 })
  const syntax = await failed('async () => {\n  const a = \n}')
  t.match(syntax, { type: 'script_failed', details: { line: 3, column: 1 } })
  t.match(syntax.message, /line 3: SyntaxError/)
  t.match((await failed('42')).message, /not a function/)
  t.match((await failed('() => 1n')).message, /not JSON: .*BigInt/)
  t.match((await failed('() => { throw "plain" }')).message, /failed: plain/)
  t.match((await failed('(')).message, /SyntaxError/)
})

t.test(
  'an endless loop is ended, also in code that is no function, and the page lives',
  async (t) => {
    await open('form')
    const waiting = await failed('() => new Promise(() => undefined)', { timeout: 300 })
    t.match(waiting.message, /took more than 300 ms/)
    const endless = await failed('({ log }) => { log("in"); for (;;); }', { timeout: 300 })
    t.match(endless, { type: 'script_failed', details: { logs: ['in'] } })
    t.match(endless.message, /took more than 300 ms/)
    t.equal(await see('document.title'), 'Sign up')
    await until('no page of a script is left', async () => (await scriptPages()).length === 0)
  },
)

t.test('memory, value and logs are bounded', async (t) => {
  const hoard = await failed(
    `async () => {
      const kept = []
      for (;;) {
        kept.push(new Uint8Array(16 * 1024 * 1024).fill(1))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }`,
  )
  t.match(hoard.message, /more than 256 MiB of memory/)
  const long = await failed(`() => 'x'.repeat(${scriptLimits.valueChars})`)
  t.match(long.message, /characters/)
  const { logs } = await script('({ log }) => { for (let n = 0; n < 1_500; n++) log(n) }')
  t.equal(logs.length, scriptLimits.logLines + 1)
  t.match(logs.at(-1), /500 more lines/)
  const deep = await failed(
    '() => { let all = []; for (let n = 0; n < 100; n++) all = [all]; return all }',
  )
  t.match(deep.message, /levels/)
  await t.rejects(script('() => 1', { timeout: commandLimits.scriptMaxMs + 1 }))
})

t.test('its page is no tab, and it does not see it itself', async (t) => {
  await open('form')
  const running = script(
    `async ({ browser, page }) => {
      await page.waitForFunction(() => document.title === 'go on')
      return [browser.targets().map((target) => target.type()), (await browser.pages()).length]
    }`,
  )
  await until('its page is there', async () => (await scriptPages()).length > 0)
  t.equal((await run('tab_list')).tabs.length, 1)
  await see('document.title = "go on"')
  const { value } = await running
  const [types, count] = value as [string[], number]
  t.ok(types.includes('page'))
  t.notOk(types.includes('other'), String(types))
  t.equal(count, 1)
})

t.test('more scripts at once than are allowed are refused', async (t) => {
  const wait = '({ args }) => new Promise((resolve) => setTimeout(resolve, args))'
  const running = Array.from({ length: scriptLimits.scriptsAtOnce }, () =>
    script(wait, { arguments: 1_500 }),
  )
  await until('their pages are there', async () => (await scriptPages()).length > 3)
  t.match(await failed('() => 1'), { type: 'busy', details: { limit: 4 } })
  await Promise.all(running)
  t.equal((await script('() => 1')).value, 1)
})
