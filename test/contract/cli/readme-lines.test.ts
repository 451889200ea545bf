/**
 * Goal: each line of README.md runs as pasted, on pages of the service itself. Method: its blocks in their order, against one
 * service with a scripted model; only the port is another one, and `…` in an id is the id that the
 * lines before have printed.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { isAccessible } from '../../helpers/browser/accessible.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { overStdio, troupeMcp } from '../../helpers/browser/mcp.ts'
import { until } from '../../helpers/lib/until.ts'
import { call } from '../../helpers/models/answers.ts'
import { obeying } from '../../helpers/models/obeying.ts'
import { serveModel } from '../../helpers/models/server.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { startService, troupe } from '../../helpers/service/service.ts'

const result = { item: 'Pencil', price: 1.2 }
const model = await serveModel(obeying(call('done', { success: true, result })))
t.teardown(() => model.close())
const privateModels = { ALLOW_PRIVATE_BASE_URLS: '1' }
const service = await startService({
  env: { POOL_HEADLESS: '1', POOL_HEADFUL: '1', ...privateModels },
})
t.teardown(() => service.stop())
const folder = mkdtempSync(join(tmpdir(), 'troupe-readme-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/```(sh|js|json)\n(.*?)```/gs)].map(
  ([, language = '', lines = '']) => ({
    language,
    lines: lines.replaceAll('127.0.0.1:8080', `127.0.0.1:${service.port}`),
  }),
)

/** The one block that has this in it. */
function block(language: string, part: string): string {
  const found = blocks.filter((one) => one.language === language && one.lines.includes(part))
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${language} have ${part}`)
  done.add(found[0]!.lines)
  return found[0]!.lines
}
const done = new Set<string>()

/** `troupe` as a user has it; curl also prints each status on a line of its own. */
function stubs(): void {
  const command = (name: string, ...lines: string[]) =>
    writeFileSync(join(folder, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 })
  const run = `exec '${process.execPath}' '${troupe}' "$@"`
  command('troupe', run)
  command('npx', 'shift', run)
  command('npm', 'while [ "$1" != -- ]; do shift; done; shift', run)
  command('curl', `PATH='${process.env['PATH']}' exec curl -sS -w '\\n%{http_code}\\n' "$@"`)
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'report.pdf'), '%PDF-1.4')
}
stubs()

async function run(program: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      ...{ DATA_DIR: service.dataDir, SVC_BASE: service.baseUrl },
    },
  })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const printed = await text(child.stdout)
  const code = await ended
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${input}\n${printed}`)
  return printed
}

const shell = (script: string) => run('sh', ['-eu'], script)
const first = (pattern: RegExp, from: string) => pattern.exec(from)?.[0] ?? 'nothing'
const statuses = (printed: string) => printed.split('\n').filter((line) => /^\d{3}$/.test(line))
const ok = (count: number) => Array.from({ length: count }, () => '200')

t.test('Playwright and Puppeteer, each with one URL', async (t) => {
  const clients = ['playwright-core', 'puppeteer-core']
  for (const client of clients) {
    const file = join(folder, `${client}.mjs`)
    writeFileSync(file, block('js', client))
    const printed = await run(process.execPath, [file])
    if (client === 'playwright-core') t.equal(printed, 'Troupe demo page\n')
    await until('its session has ended', async () => {
      const { body } = await service.rest('GET', '/v1/sessions/all/status')
      return !JSON.stringify(body).includes('running')
    })
  }
})

t.test('a session, driven over REST', async (t) => {
  const created = await shell(block('sh', '"cdp_url"'))
  t.same(statuses(created), ok(1))
  const id = first(/ses_\w+/, created)
  const driving = block('sh', 'post() {')
  const acting = block('sh', '$session/snapshot')
  const printed = await shell(`${driving}\n${acting}`.replaceAll('ses_…', id))
  t.same(statuses(printed), ok(11), printed)
  t.match(printed, '"text":"Héllo 你好 🎉"')
  for (const [, line = ''] of acting.matchAll(/(e\d+ \w+ "[^"]+")/g)) {
    t.match(printed.replaceAll('\\"', '"'), line, 'the refs are those of the page')
  }
  t.match(printed, 'Thank you, Héllo 你好 🎉!')
  t.equal(readFileSync(join(folder, 'page.png')).subarray(1, 4).toString(), 'PNG')
})

t.test('a web task', async (t) => {
  const account = ['credentials', 'set', 'openai', '--base-url', model.baseUrl]
  const env = { DATA_DIR: service.dataDir, ...privateModels }
  const set = await runTroupe(account, env, 'key-of-the-scripted-model\n')
  t.equal(set.code, 0, set.stderr)
  const performed = await shell(block('sh', '"prompt"'))
  t.same(statuses(performed), ok(1), performed)
  t.match(JSON.parse(performed.split('\n')[0]!), { data: { result } })
  t.match(model.exchanges[0]!.request.raw, /Pencil[^]*1\.20/, 'the model has seen the page')
  const id = first(/tsk_\w+/, performed)
  const told = await shell(block('sh', '$task/status').replaceAll('tsk_…', id))
  t.same(statuses(told), ok(3), told)
  t.match(told, '"status":"COMPLETED"')
})

t.test('an MCP client with the settings of README.md', async (t) => {
  const { mcpServers } = JSON.parse(block('json', 'mcpServers')) as {
    mcpServers: { troupe: { command: string; args: string[]; env: Record<string, string> } }
  }
  const { command, args, env } = mcpServers.troupe
  t.equal(command, 'node')
  t.same(args, ['/path/to/troupe' + troupeMcp.slice(packageRoot.replace(/\/$/, '').length)])
  const client = await overStdio('modern', env)
  t.teardown(() => client.close())
  const url = `${service.baseUrl}/demo`
  t.match(await client.call('browser_navigate', { url }), { isError: false, text: /Demo page/ })
})

t.test('scoped access', async (t) => {
  const [demo = '', ...asking] = block('sh', 'access demo').split('\n')
  const token = first(/spat_[\w-]+/, await shell(demo))
  const printed = await shell(asking.join('\n').replaceAll('spat_…', token))
  t.same(statuses(printed), ok(2), printed)
})

t.test('the demo page does what it offers', async (t) => {
  const url = `${service.baseUrl}/?apiKey=${service.key}&headless=true`
  const browser = await connectPlaywright(url)
  t.teardown(() => browser.close())
  const page = browser.contexts()[0]!.pages()[0]!
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', ({ message }) => problems.push(message))
  await page.goto(`${service.baseUrl}/demo`)
  await isAccessible(t, page, 'the demo page')
  t.equal(await page.locator('#rows tr').count(), 5)
  await page.click('#more')
  t.equal(await page.locator('#rows tr').count(), 9)
  await page.fill('#search', 'kett')
  t.equal(await page.locator('#rows').innerText(), 'Kettle\t€ 24.90')
  await page.setInputFiles('#file', join(folder, 'report.pdf'))
  t.equal(await page.locator('#chosen').innerText(), 'report.pdf, 8 bytes')
  page.once('dialog', (dialog) => void dialog.accept())
  await page.click('#ask')
  t.equal(await page.locator('#answer').innerText(), 'Yes.')
  const opening = page.waitForEvent('popup')
  await page.click('#open')
  const popup = await opening
  await popup.click('#done')
  await page.getByText('Done.').waitFor()
  const { x, y } = (await page.locator('#canvas').boundingBox())!
  await page.mouse.move(x + 20, y + 20)
  await page.mouse.down()
  await page.mouse.move(x + 120, y + 60)
  await page.mouse.up()
  t.equal(await page.locator('#drawn').innerText(), 'One stroke.')
  t.same(problems, [])
})

t.test('the pages of the service itself can be used by everybody', async (t) => {
  const browser = await launchChromium()
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  for (const path of ['/', '/nothing']) {
    await page.goto(service.baseUrl + path)
    await isAccessible(t, page, path)
  }
})

t.test('there is no line that was not run', async (t) => {
  const rest = blocks.filter(({ lines }) => !done.has(lines))
  t.equal(rest.length, 1)
  t.match(rest[0]!.lines, /^npm start .*\nnpm test .*\n$/, 'which is how all this was started')
})
